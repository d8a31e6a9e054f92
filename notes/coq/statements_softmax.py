"""What the proof assistant is asked to accept of the second half: a closed row gives no gradient back."""

from notes.coq.statement import Statement

__all__ = ["SOFTMAX"]

SOFTMAX = (
    Statement(
        "softmax",
        "softmax_formula",
        "Softmax",
        """(forall (T : nat) (e : nat -> R) (i : nat),
  softmax T e i = exp (e i) / RSum (fun l => exp (e l)) (idx T))%R""",
        "reals",
    ),
    Statement(
        "softmax",
        "softmax_pos",
        "Softmax",
        """(forall (T : nat) (e : nat -> R) (i : nat),
  (0 < T)%nat -> 0 < softmax T e i)%R""",
        "reals",
    ),
    Statement(
        "softmax",
        "softmax_sum",
        "Softmax",
        """(forall (T : nat) (e : nat -> R),
  (0 < T)%nat -> RSum (softmax T e) (idx T) = 1)%R""",
        "reals",
    ),
    Statement(
        "softmax",
        "softmax_shift",
        "Softmax",
        """(forall (T : nat) (e : nat -> R) (c : R) (i : nat),
  (0 < T)%nat -> softmax T (fun m => e m + c) i = softmax T e i)%R""",
        "reals",
    ),
    Statement(
        "ratio",
        "ratio",
        "Softmax",
        """(forall (T : nat) (e : nat -> R) (j l : nat),
  (0 < T)%nat -> softmax T e j / softmax T e l = exp (e j - e l))%R""",
        "reals",
    ),
    Statement(
        "ratio",
        "eight_apart",
        "EightApart",
        r"""(forall (T : nat) (e : nat -> R) (j l : nat),
  (0 < T)%nat -> e j - e l = 8 ->
  softmax T e j / softmax T e l = exp 8 /\ 2980 < softmax T e j / softmax T e l < 2981)%R""",
        "reals",
    ),
    Statement(
        "jacobian",
        "softmax_derivative",
        "Softmax",
        """(forall (T : nat) (e : nat -> R) (i l : nat),
  (l < T)%nat ->
  derivable_pt_lim (fun u => softmax T (set e l u) i) (e l) (J T e i l))%R""",
        "reals",
    ),
    Statement(
        "jacobian",
        "softmax_derivative_same",
        "Softmax",
        """(forall (T : nat) (e : nat -> R) (j : nat),
  (j < T)%nat ->
  derivable_pt_lim (fun u => softmax T (set e j u) j) (e j) (softmax T e j * (1 - softmax T e j)))%R""",
        "reals",
    ),
    Statement(
        "jacobian",
        "softmax_derivative_other",
        "Softmax",
        """(forall (T : nat) (e : nat -> R) (j l : nat),
  (l < T)%nat -> l <> j ->
  derivable_pt_lim (fun u => softmax T (set e l u) j) (e l) (- (softmax T e j * softmax T e l)))%R""",
        "reals",
    ),
    Statement(
        "closed-row",
        "closed_row",
        "Rows",
        """(forall (T : nat) (e : nat -> nat -> R) (c : nat),
  (c < T)%nat ->
  Un_cv (fun n => softmax T (e n) c) 1 ->
  forall i l, (i < T)%nat -> (l < T)%nat -> Un_cv (fun n => J T (e n) i l) 0)%R""",
        "reals",
    ),
    Statement(
        "closed-row",
        "closed_row_bound",
        "Rows",
        """(forall (T : nat) (a : nat -> R) (c i l : nat),
  is_row T a -> (c < T)%nat -> (i < T)%nat -> (l < T)%nat ->
  Rabs (a i * (delta i l - a l)) <= 1 - a c)%R""",
        "reals",
    ),
    Statement(
        "closed-row",
        "whole_row",
        "Rows",
        """(forall (T : nat) (a : nat -> R) (c i l : nat),
  is_row T a -> (c < T)%nat -> (i < T)%nat -> (l < T)%nat ->
  a c = 1 -> a i * (delta i l - a l) = 0)%R""",
        "reals",
    ),
    Statement(
        "what-dies",
        "what_dies",
        "WhatDies",
        r"""(forall (T d : nat) (L : matrix -> R) (Q K D : matrix) (i r : nat),
  (i < T)%nat -> (r < d)%nat ->
  is_gradient (cells T T) L (scores d Q K) D ->
  derivable_pt_lim (fun u => L (scores d (put Q i r u) K)) (Q (i, r))
    (RSum (fun j => D (i, j) * K (j, r)) (idx T) / sqrt (INR d))
  /\ derivable_pt_lim (fun u => L (scores d Q (put K i r u))) (K (i, r))
    (RSum (fun j => D (j, i) * Q (j, r)) (idx T) / sqrt (INR d)))%R""",
        "reals",
    ),
    Statement(
        "what-dies",
        "what_dies_through_softmax",
        "WhatDies",
        r"""(forall (T d : nat) (L : matrix -> R) (Q K G : matrix) (i r : nat),
  (i < T)%nat -> (r < d)%nat ->
  let A := weights T (scores d Q K) in
  let D := scores_gradient T A G in
  is_gradient (cells T T) L A G ->
  derivable_pt_lim (fun u => L (weights T (scores d (put Q i r u) K))) (Q (i, r))
    (RSum (fun j => D (i, j) * K (j, r)) (idx T) / sqrt (INR d))
  /\ derivable_pt_lim (fun u => L (weights T (scores d Q (put K i r u)))) (K (i, r))
    (RSum (fun j => D (j, i) * Q (j, r)) (idx T) / sqrt (INR d)))%R""",
        "reals",
    ),
    Statement(
        "what-dies",
        "what_dies_in_the_matrices",
        "WhatDies",
        r"""(forall (n T d : nat) (L : matrix -> R) (X WQ WK G : matrix) (p r : nat),
  (0 < T)%nat -> (p < n)%nat -> (r < d)%nat ->
  let Q := product n X WQ in
  let K := product n X WK in
  let A := weights T (scores d Q K) in
  let D := scores_gradient T A G in
  is_gradient (cells T T) L A G ->
  derivable_pt_lim (fun u => L (weights T (scores d (product n X (put WQ p r u)) K))) (WQ (p, r))
    (RSum (fun i => X (i, p) * (RSum (fun j => D (i, j) * K (j, r)) (idx T) / sqrt (INR d))) (idx T))
  /\ derivable_pt_lim (fun u => L (weights T (scores d Q (product n X (put WK p r u))))) (WK (p, r))
    (RSum (fun j => X (j, p) * (RSum (fun i => D (i, j) * Q (i, r)) (idx T) / sqrt (INR d))) (idx T)))%R""",
        "reals",
    ),
    Statement(
        "what-dies",
        "closed_row_passes_little",
        "WhatDies",
        r"""(forall (T d : nat) (E G K : matrix) (i c : nat),
  (0 < d)%nat -> (i < T)%nat -> (c < T)%nat ->
  let D := scores_gradient T (weights T E) G in
  (forall j, (j < T)%nat ->
     Rabs (D (i, j)) <= (1 - weights T E (i, c)) * RSum (fun l => Rabs (G (i, l))) (idx T))
  /\ (forall r, Rabs (RSum (fun j => D (i, j) * K (j, r)) (idx T) / sqrt (INR d))
       <= (1 - weights T E (i, c)) * RSum (fun l => Rabs (G (i, l))) (idx T)
          * (RSum (fun j => Rabs (K (j, r))) (idx T) / sqrt (INR d))))%R""",
        "reals",
    ),
    Statement(
        "what-dies",
        "closed_row_passes_nothing",
        "WhatDies",
        """(forall (T : nat) (E G : nat -> matrix) (M : R) (i c : nat),
  (i < T)%nat -> (c < T)%nat ->
  (forall n l, (l < T)%nat -> Rabs (G n (i, l)) <= M) ->
  Un_cv (fun n => weights T (E n) (i, c)) 1 ->
  forall j, (j < T)%nat -> Un_cv (fun n => scores_gradient T (weights T (E n)) (G n) (i, j)) 0)%R""",
        "reals",
    ),
    Statement(
        "what-dies",
        "closed_row_output",
        "Rows",
        """(forall (T : nat) (e : nat -> nat -> R) (c : nat) (V : nat -> R),
  (c < T)%nat ->
  Un_cv (fun n => softmax T (e n) c) 1 ->
  Un_cv (fun n => RSum (fun j => softmax T (e n) j * V j) (idx T)) (V c))%R""",
        "reals",
    ),
    Statement(
        "cross-entropy",
        "cross_entropy",
        "Output",
        """(forall (T : nat) (e : nat -> R) (j c : nat),
  (j < T)%nat ->
  derivable_pt_lim (fun u => - log (softmax T (set e j u) c)) (e j)
    (softmax T e j - (if Nat.eqb j c then 1 else 0)))%R""",
        "reals",
    ),
    Statement(
        "cross-entropy",
        "exp_log",
        "Logarithm",
        """(forall (x : R),
  0 < x -> exp (log x) = x)%R""",
        "reals",
    ),
    Statement(
        "cross-entropy",
        "cross_entropy_any_target",
        "Output",
        """(forall (T : nat) (e y : nat -> R) (j : nat),
  (j < T)%nat -> RSum y (idx T) = 1 ->
  derivable_pt_lim (fun u => RSum (fun c => y c * - log (softmax T (set e j u) c)) (idx T)) (e j)
    (softmax T e j - y j))%R""",
        "reals",
    ),
    Statement(
        "cross-entropy",
        "cross_entropy_does_not_die",
        "Output",
        """(forall (T : nat) (e : nat -> nat -> R) (c wrong : nat),
  (c < T)%nat -> (wrong < T)%nat -> c <> wrong ->
  Un_cv (fun n => softmax T (e n) wrong) 1 ->
  Un_cv (fun n => softmax T (e n) c - 1) (-1))%R""",
        "reals",
    ),
    Statement(
        "sigmoid",
        "sigmoid_derivative",
        "Output",
        """(forall (x : R),
  derivable_pt_lim sigmoid x (sigmoid x * (1 - sigmoid x)))%R""",
        "reals",
    ),
    Statement(
        "sigmoid",
        "sigmoid_quarter",
        "Output",
        r"""(forall (x : R),
  sigmoid x * (1 - sigmoid x) <= 1 / 4 /\ (sigmoid x * (1 - sigmoid x) = 1 / 4 <-> x = 0))%R""",
        "reals",
    ),
    Statement(
        "sigmoid",
        "sigmoid_tails",
        "Output",
        """(forall (x : R),
  0 < sigmoid x * (1 - sigmoid x) <= exp (- Rabs x))%R""",
        "reals",
    ),
    Statement(
        "sigmoid",
        "softmax_of_two",
        "Output",
        """(forall (e : nat -> R),
  softmax 2 e 0 = sigmoid (e 0%nat - e 1%nat))%R""",
        "reals",
    ),
    Statement(
        "sigmoid",
        "quarter",
        "Output",
        r"""(forall (a : R),
  a * (1 - a) <= 1 / 4 /\ (a * (1 - a) = 1 / 4 <-> a = 1 / 2))%R""",
        "reals",
    ),
    Statement(
        "sigmoid",
        "jacobian_diagonal_quarter",
        "Output",
        """(forall (T : nat) (e : nat -> R) (j : nat),
  J T e j j <= 1 / 4)%R""",
        "reals",
    ),
    Statement(
        "trace",
        "jacobian_trace",
        "Rows",
        r"""(forall (T : nat) (e : nat -> R),
  (0 < T)%nat ->
  RSum (fun j => softmax T e j * (1 - softmax T e j)) (idx T) = trace T (softmax T e)
  /\ RSum (fun j => J T e j j) (idx T) = trace T (softmax T e))%R""",
        "reals",
    ),
    Statement(
        "trace-range",
        "trace_range",
        "Rows",
        """(forall (T : nat) (a : nat -> R),
  is_row T a -> 0 <= trace T a <= 1 - 1 / INR T)%R""",
        "reals",
    ),
    Statement(
        "trace-range",
        "trace_maximum",
        "Rows",
        """(forall (T : nat) (a : nat -> R),
  is_row T a ->
  (trace T a = 1 - 1 / INR T <-> forall i, (i < T)%nat -> a i = 1 / INR T))%R""",
        "reals",
    ),
    Statement(
        "trace-range",
        "trace_minimum",
        "Rows",
        r"""(forall (T : nat) (a : nat -> R),
  is_row T a -> (trace T a = 0 <-> exists c, (c < T)%nat /\ a c = 1))%R""",
        "reals",
    ),
    Statement(
        "trace-range",
        "trace_of_equal_scores",
        "Rows",
        r"""(forall (T : nat) (e : nat -> R) (s : R),
  (0 < T)%nat -> (forall i, (i < T)%nat -> e i = s) ->
  trace T (softmax T e) = 1 - 1 / INR T /\ (T = 8%nat -> trace T (softmax T e) = 0.875))%R""",
        "reals",
    ),
    Statement(
        "row-sums",
        "jacobian_row_sum",
        "Softmax",
        """(forall (T : nat) (e : nat -> R) (i : nat),
  (i < T)%nat -> RSum (fun l => J T e i l) (idx T) = 0)%R""",
        "reals",
    ),
    Statement(
        "row-sums",
        "jacobian_column_sum",
        "Softmax",
        """(forall (T : nat) (e : nat -> R) (l : nat),
  (l < T)%nat -> RSum (fun i => J T e i l) (idx T) = 0)%R""",
        "reals",
    ),
    Statement(
        "row-sums",
        "jacobian_symmetric",
        "Softmax",
        """(forall (T : nat) (e : nat -> R) (i l : nat),
  J T e i l = J T e l i)%R""",
        "reals",
    ),
    Statement(
        "row-sums",
        "jacobian_psd",
        "Softmax",
        """(forall (T : nat) (e x : nat -> R),
  0 <= RSum (fun i => RSum (fun l => x i * J T e i l * x l) (idx T)) (idx T))%R""",
        "reals",
    ),
    Statement(
        "gradient",
        "gradient",
        "Gradient",
        """(forall (T : nat) (L : matrix -> R) (E G : matrix) (i j : nat),
  (i < T)%nat -> (j < T)%nat ->
  is_gradient (cells T T) L (weights T E) G ->
  derivable_pt_lim (fun u => L (weights T (put E i j u))) (E (i, j))
    (weights T E (i, j) * (G (i, j) - RSum (fun l => weights T E (i, l) * G (i, l)) (idx T))))%R""",
        "reals",
    ),
    Statement(
        "gradient",
        "linear_loss",
        "Gradient",
        """(forall (cs : list (nat * nat)) (g x : matrix),
  is_gradient cs (fun y => RSum (fun c => g c * y c) cs) x g)%R""",
        "reals",
    ),
    Statement(
        "argmax",
        "softmax_order",
        "Softmax",
        """(forall (T : nat) (e : nat -> R) (j l : nat),
  (0 < T)%nat -> (e j <= e l <-> softmax T e j <= softmax T e l))%R""",
        "reals",
    ),
    Statement(
        "argmax",
        "division_keeps_the_winner",
        "Softmax",
        """(forall (T : nat) (e : nat -> R) (d j : nat),
  (0 < d)%nat ->
  (wins T (softmax T (fun m => e m / sqrt (INR d))) j <-> wins T (softmax T e) j))%R""",
        "reals",
    ),
)
