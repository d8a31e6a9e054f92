"""Claims about moments, binomials and probabilities, with what is assumed and the answer each must get.

Each is (text, assumptions, answer, claimed, correct): the two values of the counterexample, "" where there is none.
`CASES` are those of tests/data/cases.jsonl, by their ids; `BOOK` are standard facts of textbooks and slips about them.
"""

from __future__ import annotations

from typing import Any

Claim = tuple[str, dict[str, Any], str, str, str]

P, F, N, U = "proved", "false", "needs assumption", "undecided"
COINS = {"laws": (("X", "bernoulli:1/2"), ("Y", "bernoulli:1/2")), "independent": True}
TWO_SIGNS = {"laws": (("X", "signs"), ("Y", "signs")), "independent": True}
SIGNS, GAUSSIAN = {"keys": "signs"}, {"keys": "gaussian"}
SKEWED = {"keys": "weights:1=2/3,-2=1/3"}
QUADRATIC = (
    r"\operatorname{Var}(x^\top A x) = (\mu_4-3\mu_2^2) a^\top a + 2\mu_2^2\operatorname{tr}(A^2) "
    r"+ 4\mu_2\theta^\top A^2\theta + 4\mu_3\theta^\top A a, a = \operatorname{diag}(A)"
)
GAUSSIAN_QUADRATIC = (
    r"\operatorname{Var}(x^\top A x + b^\top x) = 2\operatorname{tr}(A\Sigma A\Sigma) + 4\mu^\top A\Sigma A\mu "
    r"+ 4 b^\top\Sigma A\mu + b^\top\Sigma b"
)
SLIP = (
    r"\operatorname{Var}(XY) = E[(XY)^2]-(E[X])^2(E[Y])^2 = E[(XY)^2]-(E[X])^2\operatorname{Var}(Y)"
    r"-(E[Y])^2\operatorname{Var}(X) = \operatorname{Var}(X)\operatorname{Var}(Y)"
    r"+(E[X])^2\operatorname{Var}(Y)+(E[Y])^2\operatorname{Var}(X)"
)
PRODUCT = (
    r"\operatorname{Var}(XY) = \operatorname{Var}(X)\operatorname{Var}(Y)+(E[X])^2\operatorname{Var}(Y)"
    r"+(E[Y])^2\operatorname{Var}(X)"
)
TRACE = r"\operatorname{Var}(x^\top A x)=2\left(\|A\|_F^2-\sum_i A_{ii}^2\right)"

CASES: dict[str, list[Claim]] = {
    "B02": [
        (r"\operatorname{Var}((q k^\top)_{ij}) = d", {**SIGNS, "width": "4"}, P, "", ""),
        (r"\operatorname{Var}((q k^\top)_{ij}) = L", {**SIGNS, "width": "4", "sizes": (("L", "3"),)}, F, "3", "4"),
    ],
    "B03": [
        (r"\operatorname{Var}(q\cdot k/\sqrt{d_{model}}) = 1",
         {"sizes": (("d_model", "512"), ("h", "8"))}, F, "1", "1/8"),
        (r"\operatorname{Var}(q\cdot k/\sqrt{d_{model}}) = 1", {}, F, "1", "1/2"),
        (r"\operatorname{Var}(q\cdot k/\sqrt{d_{model}/h}) = 1", {}, P, "", ""),
    ],
    "B04": [
        ("(q*d**(-1/4))@(k*d**(-1/4)) == q@k/sqrt(d)", {}, P, "", ""),
        (r"\operatorname{Var}(d^{-1/4} q\cdot k) = \sqrt{d}", {}, P, "", ""),
    ],
    "B05": [("q @ k.T * head_size**-0.5 == q @ k.T / sqrt(head_size)", {}, P, "", "")],
    "B07": [
        ("E[(q·k)^2] = d", {**SIGNS, "rho": "1/2", "width": "4"}, F, "4", "7"),
        ("E[(q·k)^2] = d", {**GAUSSIAN, "rho": "1/2", "width": "4"}, F, "4", "9"),
        ("E[(q·k)^2] = d(1-ρ^2) + d^2 ρ^2", {**SIGNS, "rho": "rho"}, P, "", ""),
        ("E[(q·k)^2] = d(1+ρ^2) + d^2 ρ^2", {**GAUSSIAN, "rho": "rho"}, P, "", ""),
    ],
    "B08": [
        ("E[q·q] = 0", {}, F, "0", "1"),
        ("Var(q·q) = d", SIGNS, F, "1", "0"),
        ("Var(q·q) = d", GAUSSIAN, F, "1", "2"),
        ("Var(q·k) = d", {**GAUSSIAN, "query": "same"}, F, "1", "2"),
        ("Var(q·q) = 4d/45", {"keys": "uniform:1"}, P, "", ""),
    ],
    "B11": [
        (r"\operatorname{Var}(x\cdot y) = 1/N", {"keys": "unit-sphere"}, P, "", ""),
        (r"\operatorname{Var}(x\cdot y/N) = 1/N", SIGNS, P, "", ""),
    ],
    "B12": [
        (
            r"\operatorname{Var}(\langle X,Y\rangle) = \sigma^2\operatorname{tr}(\Sigma_Y+\mu_Y\mu_Y^\top)",
            {"laws": (("X", "gaussian"),)}, P, "", "",
        ),
    ],
    "B14": [
        (r"\operatorname{Var}(XY) = 1/16", COINS, F, "1/16", "3/16"),
        (r"\operatorname{Var}(XY) = \operatorname{Var}(X)\operatorname{Var}(Y)", COINS, F, "1/16", "3/16"),
    ],
    "B15": [("Var(XY) = E[XY]E[XY] - E[XY]^2", TWO_SIGNS, F, "0", "1")],
    "B17": [(SLIP, {"independent": True}, F, "1", "0"), (PRODUCT, {"independent": True}, P, "", "")],
    "B18": [
        ("Std(w) = s", {"laws": (("w", "uniform:-s,s"),)}, F, "1", "(1/3)√3"),
        ("Var(w) = s^2/3", {"laws": (("w", "uniform:-s,s"),)}, P, "", ""),
    ],
    "B19": [
        (r"\operatorname{Var}(w) = 2/(n_{in}+n_{out}), b = \sqrt{6/(n_{in}+n_{out})}",
         {"laws": (("w", "uniform:-b,b"),)}, P, "", ""),
        (r"\left(\sqrt{2/(n_{in}+n_{out})}\right)^2 = 2/(n_{in}+n_{out})", {}, P, "", ""),
        (r"\left(\sqrt{3/(n_{in}+n_{out})}\right)^2 = 2/(n_{in}+n_{out})", {}, F, "1", "3/2"),
    ],
    "B21": [
        (r"\sqrt{3}\sqrt{2/(1+a^2)}/\sqrt{m} = 1/\sqrt{m}, a = \sqrt{5}", {}, P, "", ""),
        (r"\operatorname{Var}(w) = 1/(3m), b = 1/\sqrt{m}", {"laws": (("w", "uniform:-b,b"),)}, P, "", ""),
        (r"\operatorname{Var}(q\cdot k) = d/9", {"keys": "gaussian:0,1/3"}, P, "", ""),
    ],
    "B23": [(r"E[(\langle x,w\rangle-\langle y,w\rangle)^2] = n/4", {"keys": "bernoulli:1/2"}, P, "", "")],
    "B24": [(r"P(x\cdot y = k) = \binom{n}{(n+k)/2}/2^n", SIGNS, P, "", "")],
    "B25": [
        (r"\operatorname{Var}(q\cdot k/d^p) = d^{1-2p}", {}, P, "", ""),
        (r"\operatorname{Var}(q\cdot k/d^{1/3}) = d^{1/3}", {}, P, "", ""),
        (r"\operatorname{Var}(q\cdot k/d^{2/3}) = d^{-1/3}", {}, P, "", ""),
    ],
    "B28": [(r"(\hat q\sqrt{d})\cdot(\hat k\sqrt{d}) = d\cos(q,k)", {}, P, "", "")],
    "B29": [(r"\operatorname{Var}(q\cdot k) = 8", {**SIGNS, "width": "64"}, F, "8", "64")],
    "C07": [(r"\mathrm{Var}(q \cdot k)", {}, P, "", "")],
    "C08": [(r"\mathbb{E}[e^2] = d", {}, P, "", "")],
    "C09": [(r"E[(\sum_i a_i X_i)^4] = 3(\sum_i a_i^2)^2 - 2\sum_i a_i^4", SIGNS, P, "", "")],
    "C22": [("Var(X_1 + X_2) = 10.4", {"laws": (("X", "poisson:5.2"),)}, P, "", "")],
    "C24": [("P(1d24+1d23+1d20+1d16+1d11+1d9+1d7+1d4 >= 65) = 64800983/163215360", {}, P, "", "")],
    "C28": [
        ("E[X]", {"laws": (("X", "weights:0=1/3,1=1/6,5=1/2"),)}, P, "", ""),
        ("Var(X)", {"laws": (("X", "weights:0=1/3,1=1/6,5=1/2"),)}, P, "", ""),
    ],
    "D01": [
        ("E[(X_1+X_2+X_3+X_4)^4] = 48", SIGNS, F, "48", "40"),
        ("E[(X_1+X_2+X_3+X_4)^4] = 76", SIGNS, F, "76", "40"),
        ("E[(X_1+X_2+X_3+X_4)^4] = 40", SIGNS, P, "", ""),
    ],
    "D02": [
        ("m_n = 3n^2 - 2n, m_{n+1} = m_n + 6n + 1, m_1 = 1", {}, P, "", ""),
        ("E[S_n^4] = 3n^2 - 2n", SIGNS, P, "", ""),
    ],
    "D04": [
        (r"E[(X_1+\dots+X_n)^4] = n\mu_4 + 3n(n-1)\mu_2^2", {}, P, "", ""),
        (r"E[(X_1+\dots+X_n)^4] = n E[X_1^4] + 3n(n-1)(E[X_1^2])^2", {}, P, "", ""),
        (r"E[(X_1+\dots+X_n)^4] = 90", {**SKEWED, "sizes": (("n", "3"),)}, P, "", ""),
        (r"E[(X_1+\dots+X_n)^4] = n E[X_1^4] + 3n(n-1)(E[X_1^2])^2", {"keys": "bernoulli:1/2"}, F, "5/2", "9/2"),
    ],
    "D06": [
        ("E|S_{2n}| = E|S_{2n-1}|", {}, P, "", ""),
        ("E|S_{2n+1}| = E|S_{2n}|", {}, F, "1", "3/2"),
    ],
    "D07": [
        (r"E[(\sum_i c_i X_i)^4] \le 16, \sum_i c_i^2 = 1", SIGNS, P, "", ""),
        (r"E[(\sum_i c_i X_i)^4] = 3 - 2\sum_i c_i^4, \sum_i c_i^2 = 1", SIGNS, P, "", ""),
    ],
    "D09": [(TRACE, SIGNS, N, "2", "1"), (TRACE, {**SIGNS, "symmetric": True}, P, "", "")],
    "D11": [(QUADRATIC, {"symmetric": True}, P, "", "")],
    "D12": [
        (r"\operatorname{Var}(ax^2+bx+c) = 2a^2s^4+4a^2m^2s^2+4abms^2+b^2s^2",
         {"laws": (("x", "gaussian:m,s^2"),)}, P, "", ""),
        (r"\operatorname{Var}(ax^2+bx) = 2a^2+b^2", {"laws": (("x", "signs"),)}, F, "3", "1"),
        (GAUSSIAN_QUADRATIC, {"laws": (("x", "gaussian"),), "symmetric": True}, P, "", ""),
    ],
    "D14": [
        (r"\sum_{k=0}^n (-1)^k\binom nk = 0", {}, F, "0", "1"),
        (r"\sum_{k=0}^n (-1)^k\binom nk = 0, n \ge 1", {}, P, "", ""),
    ],
    "D15": [
        (r"\sum_{k=q}^n (-1)^k\binom nk\binom kq = 0", {}, N, "0", "1"),
        (r"\sum_{k=q}^n (-1)^k\binom nk\binom kq = 0, n > q", {}, P, "", ""),
    ],
    "D19": [(r"P(\sum_i \epsilon_i a_i = x) \le \binom{n}{\lfloor n/2\rfloor}/2^n", SIGNS, N, "≤ 1/2", "1")],
    "D20": [
        (r"E[\langle a,c\rangle^4] = 3n(n+2)", GAUSSIAN, P, "", ""),
        (r"E[\langle a,c\rangle^4] = 3n(n+2)", SIGNS, F, "9", "1"),
        (r"E[\langle a,c\rangle^4] = 3n(n+2)", {}, N, "9", "1"),
    ],
}  # fmt: skip

BOOK: list[Claim] = [
    ("Var(X+Y) = Var(X) + Var(Y) + 2Cov(X,Y)", {}, P, "", ""),
    ("Var(X+Y) = Var(X) + Var(Y)", {}, N, "2", "4"),
    ("Var(X+Y) = Var(X) + Var(Y)", {"independent": True}, P, "", ""),
    ("Var(X-Y) = Var(X) - Var(Y)", {"independent": True}, F, "-1", "1"),
    ("Var(3X) = 3Var(X)", {}, F, "3", "9"),
    ("Var(a X + b) = a^2 Var(X)", {}, P, "", ""),
    ("E[XY] = E[X]E[Y]", {}, N, "0", "1"),
    ("E[X^2] = Var(X) + (E[X])^2", {}, P, "", ""),
    ("E[X^2] = (E[X])^2", {}, F, "0", "1"),
    ("Cov(X,X) = Var(X)", {}, P, "", ""),
    ("Cov(X,Y) = E[XY] - E[X]E[Y]", {}, P, "", ""),
    ("Cov(X+Y,X-Y) = Var(X) - Var(Y)", {}, P, "", ""),
    ("Cov(a X, b Y) = a b Cov(X,Y)", {}, P, "", ""),
    ("E[X^4] = 3(E[X^2])^2", {"laws": (("X", "gaussian:0,s^2"),)}, P, "", ""),
    ("E[X^4] = 3(E[X^2])^2", {"laws": (("X", "signs"),)}, F, "3", "1"),
    ("E[X^6] = 15s^6", {"laws": (("X", "gaussian:0,s^2"),)}, P, "", ""),
    ("Var(X) = p(1-p)", {"laws": (("X", "bernoulli:p"),)}, P, "", ""),
    ("Var(X_1 + … + X_n) = n p(1-p)", {"laws": (("X", "bernoulli:p"),)}, P, "", ""),
    ("Var(X) = λ", {"laws": (("X", "poisson:λ"),)}, P, "", ""),
    ("Var(X) = E[X]", {"laws": (("X", "poisson:λ"),)}, P, "", ""),
    ("Var(X) = 35/12", {"laws": (("X", "die:6"),)}, P, "", ""),
    ("E[X] = 3", {"laws": (("X", "die:6"),)}, F, "3", "7/2"),
    ("Var(X) = (b-a)^2/12", {"laws": (("X", "uniform:a,b"),)}, P, "", ""),
    ("E[S_n^2] = n", SIGNS, P, "", ""),
    ("E[S_n^4] = 3n^2", SIGNS, F, "3", "1"),
    ("E[S_n^6] = 15n^3 - 30n^2 + 16n", SIGNS, P, "", ""),
    ("E[e^4] = 3d^2 + 6d", GAUSSIAN, P, "", ""),
    ("E[e^4] = 3d^2 - 2d", {}, N, "1", "9"),
    ("E[e^4] <= 3d^2", SIGNS, P, "", ""),
    ("E[e^4] <= 3d^2", GAUSSIAN, F, "≤ 3", "9"),
    ("E[e] = 0", {}, P, "", ""),
    ("E[e^3] = 0", SIGNS, P, "", ""),
    ("E[e^2] = d^2", {}, F, "4", "2"),
    ("E[(e/√d)^2] = 1", {}, P, "", ""),
    ("Std(e) = √d", {}, P, "", ""),
    ("Var(e) = √d", {}, F, "√2", "2"),
    ("E[e^2] = d σ_q^2 σ_k^2", {}, P, "", ""),
    (r"E[e^2] = d^2 μ_q^2 μ_k^2 + d σ_q^2 μ_k^2 + d σ_k^2 μ_q^2 + d σ_q^2 σ_k^2", {}, P, "", ""),
    (r"E[e^2 | q] = \|q\|^2", {}, P, "", ""),
    (r"E[e^4 | q] = 3\|q\|^4 - 2\sum_r q_r^4", {"laws": (("k", "signs"), ("q", "gaussian"))}, P, "", ""),
    ("E[t_r t_s] = 0, r ≠ s", {}, P, "", ""),
    (r"E[q_r q_s] = \delta_{rs}", {}, P, "", ""),
    (r"E[q_r q_s] = 1", {}, F, "1", "0"),
    (r"E[q_r q_s] = 0", {}, N, "0", "1"),
    (r"\operatorname{Var}(q^\top k/\sqrt{d_k}) = 1", {}, P, "", ""),
    (r"E[q\cdot q] = 0, \operatorname{Var}(q\cdot q) = d", SIGNS, F, "0", "1"),
    (r"E[q\cdot k] = 0, \operatorname{Var}(q\cdot k) = d", {}, P, "", ""),
    (r"E[q\cdot k] = 0, \operatorname{Var}(q\cdot k) = 2d", {}, F, "2", "1"),
    (r"\operatorname{Var}(\sum_{r=1}^{64} q_r k_r) = 64", {}, P, "", ""),
    ("E[(q·k)^2] = 25", {"query": "3,4", "keys": "signs"}, P, "", ""),
    ("E[(q·k)^2] = 7", {"query": "3,4", "keys": "signs"}, F, "7", "25"),
    (r"\operatorname{Var}(\cos(q,k)) = 1/d", SIGNS, P, "", ""),
    (r"\operatorname{Var}(\frac{1}{n}\sum_i X_i) = \sigma^2/n", {}, P, "", ""),
    (r"E[\sum_i (X_i - \bar X)^2] = (n-1)\sigma^2, \bar X = \frac1n\sum_i X_i", {}, P, "", ""),
    (r"E[q_r q_s] = 0, r < s", {}, P, "", ""),
    (r"\operatorname{Std}(a X) = a\operatorname{Std}(X)", {}, F, "-1", "1"),
    (r"\operatorname{Std}(a X) = |a|\operatorname{Std}(X)", {}, P, "", ""),
    (r"\operatorname{Cov}(X_1, X_1 + X_2 + X_3) = \operatorname{Var}(X_1)", {}, P, "", ""),
    (r"\operatorname{Cov}(X_2, S_n) = 1", {}, P, "", ""),
    (r"e^2 = \sum_r t_r^2 + \sum_{r \ne s} t_r t_s", {}, P, "", ""),
    (r"E[\|q\|^2] = d", {}, P, "", ""),
    (r"\operatorname{Var}(\|q\|^2) = 2d", GAUSSIAN, P, "", ""),
    (r"\operatorname{Var}(\|q\|^2) = 0", SIGNS, P, "", ""),
    (r"E[x^\top A x] = \operatorname{tr}(A)", {}, P, "", ""),
    (r"E[x^\top A x] = \operatorname{tr}(A\Sigma) + \mu^\top A\mu", {}, P, "", ""),
    (r"E[(x^\top A x)^2] = (\operatorname{tr} A)^2 + 2\operatorname{tr}(A^2)",
     {**GAUSSIAN, "symmetric": True}, P, "", ""),
    (r"\operatorname{Var}(x^\top A x) = 2\|A\|_F^2", {**GAUSSIAN, "symmetric": True}, P, "", ""),
    (r"\operatorname{Var}(x^\top A x) = 2\|A\|_F^2", {**SIGNS, "symmetric": True}, F, "2", "0"),
    (r"\operatorname{Var}(\sum_i a_i X_i) = \sum_i a_i^2", {}, P, "", ""),
    (r"\operatorname{Var}(\sum_i a_i X_i) = (\sum_i a_i)^2", {}, F, "4", "2"),
    (r"E[(\sum_{i<j} X_i X_j)^2] = n(n-1)/2", SIGNS, P, "", ""),
    (r"\sum_{k=0}^n \binom nk = 2^n", {}, P, "", ""),
    (r"\sum_{k=0}^n \binom nk = 2^{n-1}", {}, F, "1/2", "1"),
    (r"\sum_{k=0}^n k\binom nk = n 2^{n-1}", {}, P, "", ""),
    (r"\sum_{k=0}^n k^2\binom nk = n(n+1) 2^{n-2}", {}, P, "", ""),
    (r"\sum_{k=0}^n \binom nk x^k = (1+x)^n", {}, P, "", ""),
    (r"\sum_{k=0}^n \binom nk^2 = \binom{2n}{n}", {}, P, "", ""),
    (r"\sum_{k=1}^n k = n(n+1)/2", {}, P, "", ""),
    (r"\sum_{k=1}^n k^2 = n(n+1)(2n+1)/6", {}, P, "", ""),
    (r"\sum_{k=1}^n k^3 = n^2(n+1)/4", {}, F, "1/2", "1"),
    (r"\sum_{k=0}^n 2^k = 2^{n+1} - 1", {}, P, "", ""),
    (r"\sum_{k=0}^n (-1)^k k\binom nk = 0, n \ge 2", {}, P, "", ""),
    ("binom(n,2) + n = binom(n+1,2)", {}, P, "", ""),
    ("E|S_{2n}| = 2n binom(2n,n)/4^n", {}, P, "", ""),
    ("E|S_n| = √n", {}, F, "√2", "1"),
    ("P(S_4 = 0) = 3/8", SIGNS, P, "", ""),
    ("P(2d6 = 7) = 1/6", {}, P, "", ""),
    ("P(2d6 >= 10) = 1/12", {}, F, "1/12", "1/6"),
    (r"P(x\cdot y = k) = \binom{n}{k}/2^n", SIGNS, F, "0", "1/2"),
    ("a_n = 2n - 1, a_{n+1} = a_n + 2, a_1 = 1", {}, P, "", ""),
    ("a_n = n^2 + 1, a_{n+1} = a_n + 2n + 1, a_1 = 1", {}, F, "2", "1"),
]  # fmt: skip
