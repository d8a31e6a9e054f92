(** WhatDies.v -- what the queries, the keys and their two matrices get back through a row.

    E = Q K^T / sqrt(d), Q = X W_Q, K = X W_K.  Axioms: those of Coq's real numbers. *)
From Coq Require Import List Reals Lra Lia.
From Sqrtdk Require Import Sums RealSums Softmax Rows Gradient.
Import ListNotations.
Open Scope R_scope.

(** * Definitions *)

(** (dL/dE) K / sqrt(d), from D = dL/dE. *)
Definition to_queries (T d : nat) (D K : matrix) : matrix :=
  fun c => RSum (fun j => D (fst c, j) * K (j, snd c)) (idx T) / sqrt (INR d).

(** (dL/dE)^T Q / sqrt(d), from D = dL/dE. *)
Definition to_keys (T d : nat) (D Q : matrix) : matrix :=
  fun c => RSum (fun i => D (i, fst c) * Q (i, snd c)) (idx T) / sqrt (INR d).

(** X W, where X has n columns. *)
Definition product (n : nat) (X W : matrix) : matrix :=
  fun c => RSum (fun p => X (fst c, p) * W (p, snd c)) (idx n).

(** * Moving the queries or the keys *)

Lemma matrix_product_move (Y : R -> nat -> R) Y' t (B : nat -> R) l :
  (forall r, derivable_pt_lim (fun u => Y u r) t (Y' r)) ->
  derivable_pt_lim (fun u => RSum (fun r => Y u r * B r) l) t (RSum (fun r => Y' r * B r) l).
Proof.
  intros D. apply (derivable_RSum (fun r u => Y u r * B r)). intros r _.
  replace (Y' r * B r) with (Y' r * B r + Y t r * 0) by ring.
  apply (derivable_pt_lim_mult (fun u => Y u r) (fun _ => B r)); [apply D|apply derivable_pt_lim_const].
Qed.

Lemma scores_of_queries d (Q : R -> matrix) Q' K t :
  (forall c, derivable_pt_lim (fun u => Q u c) t (Q' c)) ->
  forall c, derivable_pt_lim (fun u => scores d (Q u) K c) t (scores d Q' K c).
Proof.
  intros D c. unfold scores.
  apply (derivable_pt_lim_ext
    (fun u => / sqrt (INR d) * RSum (fun r => Q u (fst c, r) * K (snd c, r)) (idx d)));
    [intros; unfold Rdiv; ring|].
  replace (RSum (fun r => Q' (fst c, r) * K (snd c, r)) (idx d) / sqrt (INR d))
    with (/ sqrt (INR d) * RSum (fun r => Q' (fst c, r) * K (snd c, r)) (idx d))
    by (unfold Rdiv; ring).
  apply (derivable_pt_lim_scal (fun u => RSum (fun r => Q u (fst c, r) * K (snd c, r)) (idx d))).
  apply (matrix_product_move (fun u r => Q u (fst c, r)) (fun r => Q' (fst c, r))). intros; apply D.
Qed.

Lemma scores_transpose d Q K i j : scores d Q K (i, j) = scores d K Q (j, i).
Proof. unfold scores. simpl. f_equal. apply RSum_ext. intros; ring. Qed.

Lemma scores_of_keys d (K : R -> matrix) K' Q t :
  (forall c, derivable_pt_lim (fun u => K u c) t (K' c)) ->
  forall c, derivable_pt_lim (fun u => scores d Q (K u) c) t (scores d Q K' c).
Proof.
  intros D [i j]. rewrite scores_transpose.
  apply (derivable_pt_lim_ext (fun u => scores d (K u) Q (j, i)));
    [intros; apply scores_transpose|]. apply scores_of_queries, D.
Qed.

(** <D, Q' K^T / sqrt(d)> = <D K / sqrt(d), Q'> *)
Lemma pull_to_queries T d (D Q' K : matrix) :
  RSum (fun c => D c * scores d Q' K c) (cells T T)
  = RSum (fun c => to_queries T d D K c * Q' c) (cells T d).
Proof.
  rewrite !RSum_cells. apply RSum_ext. intros i _. unfold scores, to_queries. simpl.
  rewrite (RSum_ext _ (fun j => RSum (fun r => / sqrt (INR d) * (D (i, j) * Q' (i, r) * K (j, r))) (idx d))).
  - rewrite RSum_swap. apply RSum_ext. intros r _. rewrite RSum_scal.
    rewrite (RSum_ext (fun j => D (i, j) * Q' (i, r) * K (j, r))
      (fun j => Q' (i, r) * (D (i, j) * K (j, r)))) by (intros; ring).
    rewrite RSum_scal. unfold Rdiv. ring.
  - intros j _. rewrite RSum_scal.
    rewrite (RSum_ext (fun r => D (i, j) * Q' (i, r) * K (j, r))
      (fun r => D (i, j) * (Q' (i, r) * K (j, r)))) by (intros; ring).
    rewrite RSum_scal. unfold Rdiv. ring.
Qed.

(** <D, Q K'^T / sqrt(d)> = <D^T Q / sqrt(d), K'> *)
Lemma pull_to_keys T d (D Q K' : matrix) :
  RSum (fun c => D c * scores d Q K' c) (cells T T)
  = RSum (fun c => to_keys T d D Q c * K' c) (cells T d).
Proof.
  transitivity (RSum (fun c => D (snd c, fst c) * scores d K' Q c) (cells T T)).
  - rewrite !RSum_cells, RSum_swap. apply RSum_ext. intros j _. apply RSum_ext. intros i _. simpl.
    rewrite scores_transpose. easy.
  - rewrite (pull_to_queries T d (fun c => D (snd c, fst c))). easy.
Qed.

(** * What the queries and the keys get *)

(** claim what-dies, for any loss L of the scores with gradient D = dL/dE
      dL/dQ = (dL/dE) K / sqrt(d)  and  dL/dK = (dL/dE)^T Q / sqrt(d) *)
Theorem what_dies T d L (Q K D : matrix) i r : (i < T)%nat -> (r < d)%nat ->
  is_gradient (cells T T) L (scores d Q K) D ->
  derivable_pt_lim (fun u => L (scores d (put Q i r u) K)) (Q (i, r))
    (RSum (fun j => D (i, j) * K (j, r)) (idx T) / sqrt (INR d))
  /\ derivable_pt_lim (fun u => L (scores d Q (put K i r u))) (K (i, r))
    (RSum (fun j => D (j, i) * Q (j, r)) (idx T) / sqrt (INR d)).
Proof.
  intros Hi Hr Grad. set (one_cell := fun c : nat * nat => delta (fst c) i * delta (snd c) r). split.
  - assert (C := chain_rule (cells T T) L (scores d Q K) D (fun u => scores d (put Q i r u) K)
      (scores d one_cell K) (Q (i, r)) ltac:(cbv beta; rewrite put_same; easy) Grad).
    rewrite pull_to_queries in C. unfold one_cell in C. rewrite RSum_cell in C by easy. apply C.
    intros c _. apply (scores_of_queries d (put Q i r)). intros; apply derivable_put.
  - assert (C := chain_rule (cells T T) L (scores d Q K) D (fun u => scores d Q (put K i r u))
      (scores d Q one_cell) (K (i, r)) ltac:(cbv beta; rewrite put_same; easy) Grad).
    rewrite pull_to_keys in C. unfold one_cell in C. rewrite RSum_cell in C by easy. apply C.
    intros c _. apply (scores_of_keys d (put K i r)). intros; apply derivable_put.
Qed.

(** claim what-dies, the whole way: for any loss L of the weights with gradient G = dL/dA, the same
    formulas hold with dL/dE = a_ij (G_ij - Sum_l a_il G_il) *)
Theorem what_dies_through_softmax T d L (Q K G : matrix) i r : (i < T)%nat -> (r < d)%nat ->
  let A := weights T (scores d Q K) in
  let D := scores_gradient T A G in
  is_gradient (cells T T) L A G ->
  derivable_pt_lim (fun u => L (weights T (scores d (put Q i r u) K))) (Q (i, r))
    (RSum (fun j => D (i, j) * K (j, r)) (idx T) / sqrt (INR d))
  /\ derivable_pt_lim (fun u => L (weights T (scores d Q (put K i r u)))) (K (i, r))
    (RSum (fun j => D (j, i) * Q (j, r)) (idx T) / sqrt (INR d)).
Proof.
  intros Hi Hr A D Grad. set (one_cell := fun c : nat * nat => delta (fst c) i * delta (snd c) r). split.
  - assert (C := gradient_along T L (fun u => scores d (put Q i r u) K) (scores d one_cell K) G (Q (i, r))
      ltac:(lia)). cbv beta in C. rewrite put_same in C. specialize (C Grad).
    rewrite pull_to_queries in C. unfold one_cell in C. rewrite RSum_cell in C by easy. apply C.
    apply (scores_of_queries d (put Q i r)). intros; apply derivable_put.
  - assert (C := gradient_along T L (fun u => scores d Q (put K i r u)) (scores d Q one_cell) G (K (i, r))
      ltac:(lia)). cbv beta in C. rewrite put_same in C. specialize (C Grad).
    rewrite pull_to_keys in C. unfold one_cell in C. rewrite RSum_cell in C by easy. apply C.
    apply (scores_of_keys d (put K i r)). intros; apply derivable_put.
Qed.

Lemma product_move n X (W : R -> matrix) W' t :
  (forall c, derivable_pt_lim (fun u => W u c) t (W' c)) ->
  forall c, derivable_pt_lim (fun u => product n X (W u) c) t (product n X W' c).
Proof.
  intros D c. unfold product.
  rewrite (RSum_ext (fun p => X (fst c, p) * W' (p, snd c)) (fun p => W' (p, snd c) * X (fst c, p)))
    by (intros; ring).
  apply (derivable_pt_lim_ext (fun u => RSum (fun p => W u (p, snd c) * X (fst c, p)) (idx n)));
    [intros; apply RSum_ext; intros; ring|].
  apply (matrix_product_move (fun u p => W u (p, snd c)) (fun p => W' (p, snd c))). intros; apply D.
Qed.

Lemma pull_to_matrix n T d (g X : matrix) p r : (p < n)%nat -> (r < d)%nat ->
  RSum (fun c => g c * product n X (fun c => delta (fst c) p * delta (snd c) r) c) (cells T d)
  = RSum (fun i => X (i, p) * g (i, r)) (idx T).
Proof.
  intros Hp Hr. rewrite RSum_cells. apply RSum_ext. intros i _. unfold product. simpl.
  rewrite (RSum_ext _ (fun s => delta s r * (X (i, p) * g (i, s)))).
  - apply (RSum_delta (fun s => X (i, p) * g (i, s))), Hr.
  - intros s _. rewrite (RSum_ext _ (fun q => delta q p * (delta s r * X (i, q)))) by (intros; ring).
    rewrite (RSum_delta (fun q => delta s r * X (i, q))) by easy. ring.
Qed.

(** claim what-dies, before the scores there are only W_Q and W_K: each gets a sum over rows, in which
    row i of dL/dE is all that comes through row i
      dL/dW_Q = X^T (dL/dQ)  and  dL/dW_K = X^T (dL/dK) *)
Theorem what_dies_in_the_matrices n T d L (X WQ WK G : matrix) p r : (0 < T)%nat -> (p < n)%nat -> (r < d)%nat ->
  let Q := product n X WQ in
  let K := product n X WK in
  let A := weights T (scores d Q K) in
  let D := scores_gradient T A G in
  is_gradient (cells T T) L A G ->
  derivable_pt_lim (fun u => L (weights T (scores d (product n X (put WQ p r u)) K))) (WQ (p, r))
    (RSum (fun i => X (i, p) * (RSum (fun j => D (i, j) * K (j, r)) (idx T) / sqrt (INR d))) (idx T))
  /\ derivable_pt_lim (fun u => L (weights T (scores d Q (product n X (put WK p r u))))) (WK (p, r))
    (RSum (fun j => X (j, p) * (RSum (fun i => D (i, j) * Q (i, r)) (idx T) / sqrt (INR d))) (idx T)).
Proof.
  intros H Hp Hr Q K A D Grad. set (one_cell := fun c : nat * nat => delta (fst c) p * delta (snd c) r).
  split.
  - assert (C := gradient_along T L (fun u => scores d (product n X (put WQ p r u)) K)
      (scores d (product n X one_cell) K) G (WQ (p, r)) H).
    cbv beta in C. rewrite put_same in C. specialize (C Grad).
    rewrite pull_to_queries in C. unfold one_cell in C. rewrite pull_to_matrix in C by easy. apply C.
    apply scores_of_queries, (product_move n X (put WQ p r)). intros; apply derivable_put.
  - assert (C := gradient_along T L (fun u => scores d Q (product n X (put WK p r u)))
      (scores d Q (product n X one_cell)) G (WK (p, r)) H).
    cbv beta in C. rewrite put_same in C. specialize (C Grad).
    rewrite pull_to_keys in C. unfold one_cell in C. rewrite pull_to_matrix in C by easy. apply C.
    apply scores_of_keys, (product_move n X (put WK p r)). intros; apply derivable_put.
Qed.

(** * Nothing crosses a closed row *)

(** claim what-dies: what crosses row i is at most 1 - a_c times a size that does not depend on how
    closed it is, for any position c
      |dL/dE_ij| <= (1 - a_ic) Sum_l |G_il|
      |dL/dQ_ir| <= (1 - a_ic) Sum_l |G_il| Sum_j |K_jr| / sqrt(d) *)
Theorem closed_row_passes_little T d (E G K : matrix) i c : (0 < d)%nat -> (i < T)%nat -> (c < T)%nat ->
  let D := scores_gradient T (weights T E) G in
  (forall j, (j < T)%nat ->
     Rabs (D (i, j)) <= (1 - weights T E (i, c)) * RSum (fun l => Rabs (G (i, l))) (idx T))
  /\ (forall r, Rabs (RSum (fun j => D (i, j) * K (j, r)) (idx T) / sqrt (INR d))
       <= (1 - weights T E (i, c)) * RSum (fun l => Rabs (G (i, l))) (idx T)
          * (RSum (fun j => Rabs (K (j, r))) (idx T) / sqrt (INR d))).
Proof.
  intros Hd Hi Hc D. set (a := fun l => weights T E (i, l)).
  assert (R : is_row T a) by (apply softmax_row; lia).
  set (g := RSum (fun l => Rabs (G (i, l))) (idx T)).
  assert (B : forall j, (j < T)%nat -> Rabs (D (i, j)) <= (1 - a c) * g).
  { intros j Hj.
    assert (E1 : D (i, j) = RSum (fun l => a j * (delta j l - a l) * G (i, l)) (idx T)).
    { rewrite (RSum_ext _ (fun l => a j * (delta l j * G (i, l) - a l * G (i, l))))
        by (intros; rewrite (delta_sym j); ring).
      rewrite RSum_scal, RSum_minus, (RSum_delta (fun l => G (i, l))) by easy. easy. }
    rewrite E1. apply Rle_trans with (1 := Rabs_RSum _ _).
    unfold g. rewrite <- RSum_scal. apply RSum_le. intros l Hl. apply in_idx in Hl.
    rewrite Rabs_mult. apply Rmult_le_compat_r; [apply Rabs_pos|].
    apply (closed_row_bound T); easy. }
  split; [exact B|]. intros r. pose proof (sqrt_lt_R0 _ (lt_0_INR d Hd)) as S.
  unfold Rdiv. rewrite Rabs_mult, (Rabs_right (/ sqrt (INR d)))
    by (left; apply Rinv_0_lt_compat, S).
  rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, S|].
  apply Rle_trans with (1 := Rabs_RSum _ _). rewrite <- RSum_scal. apply RSum_le.
  intros j Hj. apply in_idx in Hj. rewrite Rabs_mult.
  apply Rmult_le_compat_r; [apply Rabs_pos|exact (B j Hj)].
Qed.

(** claim what-dies, the limit: as row i closes on c, with G of any bounded size, dL/dE_ij tends to 0 in
    every cell of the row *)
Theorem closed_row_passes_nothing T (E G : nat -> matrix) M i c : (i < T)%nat -> (c < T)%nat ->
  (forall n l, (l < T)%nat -> Rabs (G n (i, l)) <= M) ->
  Un_cv (fun n => weights T (E n) (i, c)) 1 ->
  forall j, (j < T)%nat -> Un_cv (fun n => scores_gradient T (weights T (E n)) (G n) (i, j)) 0.
Proof.
  intros Hi Hc B L j Hj.
  apply (Un_cv_squeeze _ (fun n => (1 - weights T (E n) (i, c)) * (INR T * M))).
  - intros n. destruct (closed_row_passes_little T 1 (E n) (G n) (G n) i c ltac:(lia) Hi Hc) as [D _].
    apply Rle_trans with (1 := D j Hj). apply Rmult_le_compat_l.
    + assert (R : is_row T (fun l => weights T (E n) (i, l))) by (apply softmax_row; lia).
      pose proof (row_le_1 T _ c R Hc) as H. cbv beta in H. lra.
    + rewrite <- (length_idx T) at 2. rewrite <- RSum_const. apply RSum_le.
      intros l Hl. apply B, in_idx, Hl.
  - replace 0 with (0 * (INR T * M)) by ring.
    apply (CV_mult (fun n => 1 - weights T (E n) (i, c)) (fun _ => INR T * M));
      [apply Un_cv_gap, L|apply Un_cv_const].
Qed.
