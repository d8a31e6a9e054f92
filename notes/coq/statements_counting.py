"""What the proof assistant is asked to accept of the first half: a score grows with the root of the width."""

from notes.coq.statement import Statement

__all__ = ["COUNTING"]

COUNTING = (
    Statement(
        "match-count",
        "match_count",
        "Signs",
        r"""(forall (d : nat) (q k : list Z),
  In q (Zcube d) -> In k (Zcube d) ->
  let m := Z.of_nat (agreements d q k) in
  Zscore d q k = m - (Z.of_nat d - m) /\ Zscore d q k = 2 * m - Z.of_nat d)%Z""",
        "none",
    ),
    Statement(
        "match-count",
        "match_count_examples",
        "Signs",
        r"""((forall q k, In q (Zcube 4) -> In k (Zcube 4) -> agreements 4 q k = 3%nat -> Zscore 4 q k = 2)
  /\ (forall q k, In q (Zcube 400) -> In k (Zcube 400) ->
        agreements 400 q k = 300%nat -> Zscore 400 q k = 200))%Z""",
        "none",
    ),
    Statement(
        "term-sign",
        "Z_term_sign",
        "Signs",
        r"""(forall (d : nat) (q k : list Z) (r : nat),
  In q (Zcube d) -> In k (Zcube d) -> (r < d)%nat ->
  (Zterm q k r = 1 \/ Zterm q k r = -1) /\ Zterm q k r ^ 2 = 1)%Z""",
        "none",
    ),
    Statement(
        "square-split",
        "Z_square_split",
        "Signs",
        r"""(forall (d : nat) (q k : list Z),
  In q (Zcube d) -> In k (Zcube d) ->
  Zscore d q k ^ 2
    = ZSum (fun r => Zterm q k r ^ 2) (seq 0 d) + ZSum_neq d (fun r s => Zterm q k r * Zterm q k s)
  /\ Zscore d q k ^ 2
    = Z.of_nat d + ZSum_neq d (fun r s => Zterm q k r * Zterm q k s))%Z""",
        "none",
    ),
    Statement(
        "square-split",
        "square_of_sum",
        "Sums",
        """(forall (C : Numbers) (d : nat) (t : nat -> C),
  Sum t (seq 0 d) * Sum t (seq 0 d)
  = Sum (fun r => t r * t r) (seq 0 d) + Sum_neq d (fun r s => t r * t s))%num""",
        "none",
    ),
    Statement(
        "pairing",
        "Z_pairing",
        "Signs",
        r"""(forall (d : nat) (q : list Z) (r s : nat),
  (r < d)%nat -> (s < d)%nat -> r <> s ->
  length (Zcube d) = Nat.pow 2 d
  /\ (forall k, In k (Zcube d) ->
        In (Zflip r k) (Zcube d) /\ Zflip r (Zflip r k) = k /\ Zflip r k <> k
        /\ Zterm q (Zflip r k) r * Zterm q (Zflip r k) s = - (Zterm q k r * Zterm q k s))
  /\ (exists half, length half = Nat.pow 2 (d - 1)
        /\ Permutation (half ++ map (Zflip r) half) (Zcube d))
  /\ ZSum (fun k => Zterm q k r * Zterm q k s) (Zcube d) = 0)%Z""",
        "none",
    ),
    Statement(
        "pairing",
        "Z_cube",
        "Signs",
        r"""(forall (d : nat),
  (forall k, In k (Zcube d) <-> length k = d /\ Forall (fun x => x = 1 \/ x = -1) k)
  /\ NoDup (Zcube d) /\ Z.of_nat (length (Zcube d)) = 2 ^ Z.of_nat d)%Z""",
        "none",
    ),
    Statement(
        "pairing",
        "pairing",
        "Counting",
        """(forall (C : Numbers) (A : Type) (S : list A) (sigma : A -> A) (f : A -> C),
  NoDup S ->
  (forall x, In x S -> In (sigma x) S) ->
  (forall x, In x S -> sigma (sigma x) = x) ->
  (forall x, In x S -> f (sigma x) = - f x) ->
  Sum f S = 0)%num""",
        "none",
    ),
    Statement(
        "pairing",
        "E_cross_terms",
        "Powers",
        """(forall (d : nat) (q : list R) (r s : nat),
  r <> s -> E_ d (fun k => Rterm q k r * Rterm q k s) = 0)%R""",
        "reals",
    ),
    Statement(
        "mean",
        "Z_mean",
        "Signs",
        """(forall (d : nat) (q : list Z),
  ZSum (Zscore d q) (Zcube d) = 0)%Z""",
        "none",
    ),
    Statement(
        "mean",
        "E_score",
        "Powers",
        """(forall (d : nat) (q : list R),
  E_ d (Rscore d q) = 0)%R""",
        "reals",
    ),
    Statement(
        "second-moment",
        "Z_second_moment",
        "Signs",
        """(forall (d : nat) (q : list Z),
  In q (Zcube d) ->
  ZSum (fun k => Zscore d q k ^ 2) (Zcube d) = Z.of_nat d * 2 ^ Z.of_nat d)%Z""",
        "none",
    ),
    Statement(
        "second-moment",
        "Z_second_moment_any_query",
        "Signs",
        """(forall (d : nat) (q : list Z),
  ZSum (fun k => Zscore d q k ^ 2) (Zcube d) = ZSum (fun r => Zat q r ^ 2) (seq 0 d) * 2 ^ Z.of_nat d)%Z""",
        "none",
    ),
    Statement(
        "second-moment",
        "second_moment",
        "Powers",
        """(forall (d : nat) (q : list R),
  In q (Rcube d) -> E_ d (fun k => Rscore d q k ^ 2) = INR d)%R""",
        "reals",
    ),
    Statement(
        "second-moment",
        "E_score2",
        "Powers",
        """(forall (d : nat) (q : list R),
  E_ d (fun k => Rscore d q k ^ 2) = RSum (fun r => Rat q r ^ 2) (seq 0 d))%R""",
        "reals",
    ),
    Statement(
        "typical-size",
        "typical_size_of_a_score",
        "Powers",
        """(forall (d : nat) (q : list R),
  In q (Rcube d) -> typical_size d (Rscore d q) = sqrt (INR d))%R""",
        "reals",
    ),
    Statement(
        "unit-scale",
        "unit_scale",
        "Powers",
        """(forall (d : nat) (q : list R),
  (0 < d)%nat -> In q (Rcube d) ->
  E_ d (fun k => (Rscore d q k / sqrt (INR d)) ^ 2) = 1)%R""",
        "reals",
    ),
    Statement(
        "two-properties",
        "two_properties",
        "Counting",
        """(forall (C : Numbers) (A : Type) (outcomes : list A) (w : A -> C) (d : nat) (t : nat -> A -> C),
  (forall r s, (r < d)%nat -> (s < d)%nat -> r <> s -> weighted outcomes w (fun x => t r x * t s x) = 0) ->
  (forall r, (r < d)%nat -> weighted outcomes w (fun x => t r x * t r x) = 1) ->
  weighted outcomes w (fun x => Sum (fun r => t r x) (seq 0 d) * Sum (fun r => t r x) (seq 0 d))
  = of_nat d)%num""",
        "none",
    ),
    Statement(
        "two-properties",
        "R_two_properties",
        "Powers",
        """(forall (A : Type) (outcomes : list A) (w : A -> R) (d : nat) (t : nat -> A -> R),
  let E := fun f : A -> R => RSum (fun x => w x * f x) outcomes in
  let e := fun x : A => RSum (fun r => t r x) (seq 0 d) in
  (forall r s, (r < d)%nat -> (s < d)%nat -> r <> s -> E (fun x => t r x * t s x) = 0) ->
  (forall r, (r < d)%nat -> E (fun x => t r x ^ 2) = 1) ->
  E (fun x => e x ^ 2) = INR d)%R""",
        "reals",
    ),
    Statement(
        "two-properties",
        "any_law",
        "Laws",
        """(forall (C : Numbers) (law_q law_k : list (C * C)) (d : nat),
  centred_of_size_one law_q -> centred_of_size_one law_k ->
  vector_mean law_q d (fun q => vector_mean law_k d (fun k => score d q k * score d q k)) = of_nat d)%num""",
        "none",
    ),
    Statement(
        "two-properties",
        "any_law_fixed_query",
        "Laws",
        r"""(forall (C : Numbers) (law : list (C * C)) (d : nat),
  centred_of_size_one law -> forall q : list C,
  vector_mean law d (fun k => score d q k) = 0
  /\ vector_mean law d (fun k => score d q k * score d q k) = norm2 d q)%num""",
        "none",
    ),
    Statement(
        "scope",
        "scope_self",
        "Signs",
        r"""(forall (d : nat),
  (forall q, In q (Zcube d) -> Zscore d q q = Z.of_nat d)
  /\ ZSum (fun q => Zscore d q q ^ 2) (Zcube d) = Z.of_nat d ^ 2 * 2 ^ Z.of_nat d)%Z""",
        "none",
    ),
    Statement(
        "scope",
        "scope_biased",
        "Signs",
        r"""(forall (a b : Z) (d : nat),
  ZSum (bias a b) (Zcube d) = (a + b) ^ Z.of_nat d
  /\ (a + b) * ZSum (fun k => bias a b k * Zscore d (repeat 1 d) k) (Zcube d)
     = (a + b) ^ Z.of_nat d * (Z.of_nat d * (a - b))
  /\ (a + b) ^ 2 * ZSum (fun k => bias a b k * Zscore d (repeat 1 d) k ^ 2) (Zcube d)
     = (a + b) ^ Z.of_nat d
       * (Z.of_nat d * (a + b) ^ 2 + Z.of_nat d * (Z.of_nat d - 1) * (a - b) ^ 2))%Z""",
        "none",
    ),
    Statement(
        "scope",
        "scope_correlated",
        "Signs",
        r"""(forall (d : nat),
  let keys := [repeat 1 d; repeat (-1) d] in
  (forall k, In k keys -> In k (Zcube d))
  /\ (forall r, (r < d)%nat -> ZSum (fun k => Zat k r) keys = 0 /\ ZSum (fun k => Zat k r ^ 2) keys = 2)
  /\ ZSum (fun k => Zscore d (repeat 1 d) k ^ 2) keys = 2 * Z.of_nat d ^ 2)%Z""",
        "none",
    ),
    Statement(
        "only-the-root",
        "only_the_root",
        "Powers",
        """(forall (d : nat) (q : list R) (alpha : R),
  (0 < d)%nat -> In q (Rcube d) ->
  typical_size d (fun k => Rscore d q k / power (INR d) alpha) = power (INR d) (1 / 2 - alpha))%R""",
        "reals",
    ),
    Statement(
        "only-the-root",
        "power_formula",
        "Logarithm",
        """(forall (x y : R),
  power x y = exp (y * log x))%R""",
        "reals",
    ),
    Statement(
        "only-the-root",
        "grows_or_vanishes",
        "Powers",
        r"""(forall (q : nat -> list R) (alpha : R),
  (forall n, In (q n) (Rcube (S n))) ->
  let size := fun n => typical_size (S n) (fun k => Rscore (S n) (q n) k / power (INR (S n)) alpha) in
  (alpha < 1 / 2 -> cv_infty size)
  /\ (alpha = 1 / 2 -> forall n, size n = 1)
  /\ (1 / 2 < alpha -> Un_cv size 0))%R""",
        "reals",
    ),
    Statement(
        "only-the-root",
        "the_only_exponent",
        "Powers",
        r"""(forall (q : nat -> list R) (alpha : R),
  (forall n, In (q n) (Rcube (S n))) ->
  let size := fun n => typical_size (S n) (fun k => Rscore (S n) (q n) k / power (INR (S n)) alpha) in
  (exists lo hi, 0 < lo /\ forall n, lo <= size n <= hi) <-> alpha = 1 / 2)%R""",
        "reals",
    ),
    Statement(
        "only-the-root",
        "no_root_and_whole_width",
        "Powers",
        r"""(forall (d : nat) (q : list R),
  (0 < d)%nat -> In q (Rcube d) ->
  typical_size d (Rscore d q) = sqrt (INR d)
  /\ typical_size d (fun k => Rscore d q k / INR d) = 1 / sqrt (INR d))%R""",
        "reals",
    ),
    Statement(
        "only-the-root",
        "undivided_row_closes",
        "Rows",
        r"""(forall (T : nat) (z s : nat -> R) (c : nat),
  (c < T)%nat ->
  (forall j, (j < T)%nat -> j <> c -> z j < z c) -> cv_infty s ->
  Un_cv (fun n => softmax T (fun j => s n * z j) c) 1
  /\ forall i l, (i < T)%nat -> (l < T)%nat -> Un_cv (fun n => J T (fun j => s n * z j) i l) 0)%R""",
        "reals",
    ),
    Statement(
        "only-the-root",
        "vanishing_scores_flatten",
        "Rows",
        """(forall (T : nat) (e : nat -> nat -> R),
  (0 < T)%nat ->
  (forall j, (j < T)%nat -> Un_cv (fun n => e n j) 0) ->
  forall i, (i < T)%nat -> Un_cv (fun n => softmax T (e n) i) (1 / INR T))%R""",
        "reals",
    ),
    Statement(
        "fourth-moment",
        "Z_fourth_moment",
        "Moments",
        """(forall (d : nat) (q : list Z),
  In q (Zcube d) ->
  ZSum (fun k => Zscore d q k ^ 4) (Zcube d)
  = (3 * Z.of_nat d ^ 2 - 2 * Z.of_nat d) * 2 ^ Z.of_nat d)%Z""",
        "none",
    ),
    Statement(
        "fourth-moment",
        "sum_score4",
        "Moments",
        """(forall (C : Numbers) (d : nat),
  forall q : list C,
  Sum (fun k => nat_power (score d q k) 4) (cube d)
  = of_nat (Nat.pow 2 d)
    * (of_nat 3 * (norm2 d q * norm2 d q) - of_nat 2 * Sum (fun r => nat_power (at_ q r) 4) (seq 0 d)))%num""",
        "none",
    ),
    Statement(
        "small-widths",
        "small_widths",
        "SmallWidths",
        """(forall (m : nat) (N : Z) (p : list Z) (widths : list nat),
  N <> 0 -> (length p <= S m)%nat -> NoDup widths -> length widths = S m ->
  (forall d, In d widths ->
     N * ZSum (fun k => Zscore d (repeat 1 d) k ^ Z.of_nat m) (Zcube d)
     = eval p (Z.of_nat d) * 2 ^ Z.of_nat d) ->
  forall d q, In q (Zcube d) ->
    N * ZSum (fun k => Zscore d q k ^ Z.of_nat m) (Zcube d) = eval p (Z.of_nat d) * 2 ^ Z.of_nat d)%Z""",
        "none",
    ),
    Statement(
        "small-widths",
        "moment_is_polynomial",
        "SmallWidths",
        r"""(forall (m : nat),
  exists N p, N <> 0 /\ (length p <= S m)%nat /\
  forall d q, In q (Zcube d) ->
    N * ZSum (fun k => Zscore d q k ^ Z.of_nat m) (Zcube d) = eval p (Z.of_nat d) * 2 ^ Z.of_nat d)%Z""",
        "none",
    ),
    Statement(
        "small-widths",
        "polynomial_zero",
        "Polynomials",
        r"""(forall (m : nat) (p : list Z) (naturals : list nat),
  (length p <= S m)%nat -> NoDup naturals -> length naturals = S m ->
  (forall n, In n naturals -> eval p (Z.of_nat n) = 0) ->
  (forall x, eval p x = 0) /\ Forall (fun c => c = 0) p)%Z""",
        "none",
    ),
    Statement(
        "small-widths",
        "sixth_moment",
        "SmallWidths",
        """(forall (d : nat) (q : list Z),
  In q (Zcube d) ->
  ZSum (fun k => Zscore d q k ^ 6) (Zcube d)
  = (15 * Z.of_nat d ^ 3 - 30 * Z.of_nat d ^ 2 + 16 * Z.of_nat d) * 2 ^ Z.of_nat d)%Z""",
        "none",
    ),
)
