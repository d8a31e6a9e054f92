(** Output.v -- the curve a(1-a), and why the softmax of an output did not suffer.

    Axioms: those of Coq's real numbers. *)
From Coq Require Import List Reals Lra Lia.
From Sqrtdk Require Import Sums RealSums Logarithm Softmax Rows.
Import ListNotations.
Open Scope R_scope.

(** * The sigmoid *)

Definition sigmoid (x : R) : R := 1 / (1 + exp (- x)).

(** claim sigmoid
      sigma' = sigma (1 - sigma) *)
Theorem sigmoid_derivative x : derivable_pt_lim sigmoid x (sigmoid x * (1 - sigmoid x)).
Proof.
  pose proof (exp_pos (- x)) as P.
  assert (D : derivable_pt_lim (fun u => 1 + exp (- u)) x (0 + exp (- x) * -1)).
  { apply (derivable_pt_lim_plus (fun _ => 1) (fun u => exp (- u))); [apply derivable_pt_lim_const|].
    apply (derivable_pt_lim_comp (fun u => - u) exp); [|apply derivable_pt_lim_exp].
    apply (derivable_pt_lim_opp id). apply derivable_pt_lim_id. }
  pose proof (derivable_pt_lim_div (fun _ => 1) _ x _ _ (derivable_pt_lim_const 1 x) D ltac:(lra)) as Q.
  cbv beta in Q.
  match type of Q with derivable_pt_lim _ _ ?l =>
    replace (sigmoid x * (1 - sigmoid x)) with l end; [exact Q|].
  unfold sigmoid, Rsqr. field. lra.
Qed.

(** claim sigmoid: a(1-a) has its maximum 1/4 at one half, and only there *)
Theorem quarter a : a * (1 - a) <= 1 / 4 /\ (a * (1 - a) = 1 / 4 <-> a = 1 / 2).
Proof.
  split; [pose proof (pow2_ge_0 (a - 1 / 2)); nra|]. split; intros H; [|subst; lra].
  assert (Z : (a - 1 / 2) * (a - 1 / 2) = 0) by lra. apply Rmult_integral in Z. lra.
Qed.

(** claim sigmoid: so the derivative of the sigmoid is at most 1/4, reached at 0 alone ... *)
Theorem sigmoid_quarter x :
  sigmoid x * (1 - sigmoid x) <= 1 / 4 /\ (sigmoid x * (1 - sigmoid x) = 1 / 4 <-> x = 0).
Proof.
  destruct (quarter (sigmoid x)) as [B E]. split; [exact B|]. rewrite E. unfold sigmoid.
  pose proof (exp_pos (- x)). split; intros H0.
  - assert (X : exp (- x) = exp 0).
    { rewrite exp_0. apply (Rmult_eq_reg_l (1 / (1 + exp (- x)))); [|rewrite H0; lra].
      replace (1 / (1 + exp (- x)) * exp (- x)) with (1 - 1 / (1 + exp (- x))) by (field; lra). lra. }
    apply exp_inj in X. lra.
  - subst. rewrite Ropp_0, exp_0. lra.
Qed.

(** ... and it has two flat tails
      sigma (1 - sigma) <= exp(-|x|) *)
Theorem sigmoid_tails x : 0 < sigmoid x * (1 - sigmoid x) <= exp (- Rabs x).
Proof.
  pose proof (exp_pos (- x)) as P. set (y := exp (- x)) in *.
  assert (E : sigmoid x * (1 - sigmoid x) = y / ((1 + y) * (1 + y)))
    by (unfold sigmoid; fold y; field; lra).
  rewrite E. split; [apply Rdiv_lt_0_compat; nra|].
  apply (Rmult_le_reg_r ((1 + y) * (1 + y))); [nra|].
  replace (y / ((1 + y) * (1 + y)) * ((1 + y) * (1 + y))) with y by (field; lra).
  unfold Rabs. destruct (Rcase_abs x).
  - replace (exp (- - x)) with (/ y) by (unfold y; rewrite <- exp_Ropp; easy).
    apply (Rmult_le_reg_r y); [easy|].
    replace (/ y * ((1 + y) * (1 + y)) * y) with ((1 + y) * (1 + y)) by (field; lra). nra.
  - fold y. nra.
Qed.

(** claim sigmoid: with T = 2 the softmax is the sigmoid of the difference *)
Theorem softmax_of_two e : softmax 2 e 0 = sigmoid (e 0%nat - e 1%nat).
Proof.
  unfold softmax, sigmoid, idx. cbn [seq]. rewrite !RSum_cons, RSum_nil.
  replace (- (e 0%nat - e 1%nat)) with (e 1%nat - e 0%nat) by ring. unfold Rminus.
  rewrite exp_plus, exp_Ropp. pose proof (exp_pos (e 0%nat)). pose proof (exp_pos (e 1%nat)).
  field. lra.
Qed.

(** claim sigmoid, in a row of any length: no derivative a_j (1 - a_j) exceeds 1/4 *)
Theorem jacobian_diagonal_quarter T e j : J T e j j <= 1 / 4.
Proof. unfold J, delta. rewrite Nat.eqb_refl. apply quarter. Qed.

(** * Cross-entropy *)

Lemma derivable_minus_log T e j c : (j < T)%nat ->
  derivable_pt_lim (fun u => - log (softmax T (set e j u) c)) (e j) (softmax T e j - delta c j).
Proof.
  intros H. pose proof (softmax_pos T e c ltac:(lia)) as P.
  pose proof (softmax_derivative T e c j H) as D.
  assert (E : softmax T (set e j (e j)) c = softmax T e c) by (apply softmax_ext, set_same).
  assert (L := derivable_pt_lim_comp (fun u => softmax T (set e j u) c) log (e j) _ _ D
    ltac:(cbv beta; rewrite E; apply derivable_log, P)).
  apply (derivable_pt_lim_opp _ (e j)) in L.
  match type of L with derivable_pt_lim _ _ ?l =>
    replace (softmax T e j - delta c j) with l end; [exact L|].
  unfold J. field. lra.
Qed.

(** claim cross-entropy: the log brings the factor 1/a that cancels
      d(-log a_c) / d e_j = a_j - [j = c] *)
Theorem cross_entropy T e j c : (j < T)%nat ->
  derivable_pt_lim (fun u => - log (softmax T (set e j u) c)) (e j)
    (softmax T e j - (if Nat.eqb j c then 1 else 0)).
Proof.
  intros H. change (if Nat.eqb j c then 1 else 0) with (delta j c). rewrite delta_sym.
  apply derivable_minus_log, H.
Qed.

(** claim cross-entropy, for any target y that adds to 1
      d(- Sum_c y_c log a_c) / d e_j = a_j - y_j *)
Theorem cross_entropy_any_target T e (y : nat -> R) j : (j < T)%nat -> RSum y (idx T) = 1 ->
  derivable_pt_lim (fun u => RSum (fun c => y c * - log (softmax T (set e j u) c)) (idx T)) (e j)
    (softmax T e j - y j).
Proof.
  intros H S.
  replace (softmax T e j - y j) with (RSum (fun c => y c * (softmax T e j - delta c j)) (idx T)).
  - apply (derivable_RSum (fun c u => y c * - log (softmax T (set e j u) c))). intros c _.
    apply (derivable_pt_lim_scal (fun u => - log (softmax T (set e j u) c))), derivable_minus_log, H.
  - rewrite (RSum_ext _ (fun c => softmax T e j * y c - delta c j * y c)) by (intros; ring).
    rewrite RSum_minus, RSum_scal, RSum_delta, S by easy. ring.
Qed.

(** claim cross-entropy: in the right class c the gradient a_c - 1 does not vanish while the network is
    wrong, however sure it is: it tends to -1 as the row closes on a wrong class *)
Theorem cross_entropy_does_not_die T (e : nat -> nat -> R) c wrong :
  (c < T)%nat -> (wrong < T)%nat -> c <> wrong ->
  Un_cv (fun n => softmax T (e n) wrong) 1 ->
  Un_cv (fun n => softmax T (e n) c - 1) (-1).
Proof.
  intros Hc Hw N L. replace (-1) with (0 - 1) by ring.
  apply (CV_minus (fun n => softmax T (e n) c) (fun _ => 1)); [|apply Un_cv_const].
  apply (Un_cv_squeeze _ (fun n => 1 - softmax T (e n) wrong)); [|apply Un_cv_gap, L].
  intros n. assert (R : is_row T (softmax T (e n))) by (apply softmax_row; lia).
  pose proof (row_two T _ c wrong R Hc Hw N). pose proof (proj1 R c Hc). rewrite Rabs_right; lra.
Qed.
