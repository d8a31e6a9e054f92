(** Softmax.v -- a row of weights, its order and its derivatives, for every number T of positions.

    A row of scores is a function e from positions to reals; only e 0, ..., e (T-1) count.
    Axioms: those of Coq's real numbers. *)
From Coq Require Import List Reals Lra Lia.
From Sqrtdk Require Import Sums RealSums Logarithm.
Import ListNotations.
Open Scope R_scope.

(** * Definitions *)

(** a_i = exp(e_i) / Sum_l exp(e_l) *)
Definition softmax (T : nat) (e : nat -> R) (i : nat) : R :=
  exp (e i) / RSum (fun l => exp (e l)) (idx T).

(** e with its j-th entry replaced by u. *)
Definition set (e : nat -> R) (j : nat) (u : R) (m : nat) : R := if Nat.eqb m j then u else e m.

(** The Jacobian of a row: a_i (delta_ij - a_j). *)
Definition J (T : nat) (e : nat -> R) (i j : nat) : R := softmax T e i * (delta i j - softmax T e j).

(** Position j wins: no score of the row is larger. *)
Definition wins (T : nat) (v : nat -> R) (j : nat) : Prop :=
  (j < T)%nat /\ forall i, (i < T)%nat -> v i <= v j.

(** * Weights *)

Lemma denominator_pos T e : (0 < T)%nat -> 0 < RSum (fun l => exp (e l)) (idx T).
Proof.
  intros H. apply Rlt_le_trans with (exp (e O)); [apply exp_pos|].
  apply (RSum_one_le (fun l => exp (e l)) (idx T) O); [intros; left; apply exp_pos|].
  apply in_idx, H.
Qed.

(** claim softmax, the definition written out
      a_i = exp(e_i) / Sum_l exp(e_l) *)
Theorem softmax_formula T e i : softmax T e i = exp (e i) / RSum (fun l => exp (e l)) (idx T).
Proof. easy. Qed.

(** claim softmax: every weight is positive ... *)
Theorem softmax_pos T e i : (0 < T)%nat -> 0 < softmax T e i.
Proof. intros H. apply Rdiv_lt_0_compat; [apply exp_pos|apply denominator_pos, H]. Qed.

(** ... a row adds to 1 ... *)
Theorem softmax_sum T e : (0 < T)%nat -> RSum (softmax T e) (idx T) = 1.
Proof.
  intros H. pose proof (denominator_pos T e H). unfold softmax.
  rewrite (RSum_ext _ (fun i => / RSum (fun l => exp (e l)) (idx T) * exp (e i)))
    by (intros; field; lra).
  rewrite RSum_scal. field. lra.
Qed.

(** claim softmax: ... and adding a constant to a row changes nothing *)
Theorem softmax_shift T e c i : (0 < T)%nat -> softmax T (fun m => e m + c) i = softmax T e i.
Proof.
  intros H. pose proof (denominator_pos T e H). pose proof (exp_pos c). unfold softmax.
  rewrite (RSum_ext (fun l => exp (e l + c)) (fun l => exp c * exp (e l)))
    by (intros; rewrite exp_plus; ring).
  rewrite RSum_scal, exp_plus. field. lra.
Qed.

Lemma softmax_le_1 T e i : (i < T)%nat -> softmax T e i <= 1.
Proof.
  intros H. rewrite <- (softmax_sum T e) by lia. apply RSum_one_le; [|apply in_idx, H].
  intros; left; apply softmax_pos. lia.
Qed.

(** claim ratio
      a_j / a_l = exp(e_j - e_l) *)
Theorem ratio T e j l : (0 < T)%nat -> softmax T e j / softmax T e l = exp (e j - e l).
Proof.
  intros H. pose proof (denominator_pos T e H). pose proof (exp_pos (e l)).
  unfold softmax, Rminus. rewrite exp_plus, exp_Ropp. field. lra.
Qed.

(** claim argmax: the order of the weights is the order of the scores
      e_j <= e_l  iff  a_j <= a_l *)
Theorem softmax_order T e j l : (0 < T)%nat -> (e j <= e l <-> softmax T e j <= softmax T e l).
Proof.
  intros H. pose proof (Rinv_0_lt_compat _ (denominator_pos T e H)) as P. unfold softmax, Rdiv. split; intros L.
  - apply Rmult_le_compat_r; [lra|]. destruct L as [L| ->]; [left; apply exp_lt, L|right; easy].
  - apply Rmult_le_reg_r in L; [|easy]. destruct (Rle_lt_dec (e j) (e l)) as [|G]; [easy|].
    apply exp_lt in G. lra.
Qed.

(** claim argmax: dividing a row by sqrt(d) > 0 never changes which position wins *)
Theorem division_keeps_the_winner T e d j : (0 < d)%nat ->
  (wins T (softmax T (fun m => e m / sqrt (INR d))) j <-> wins T (softmax T e) j).
Proof.
  intros P. pose proof (sqrt_lt_R0 _ (lt_0_INR d P)) as S.
  assert (O : forall x y, x / sqrt (INR d) <= y / sqrt (INR d) <-> x <= y).
  { intros x y. pose proof (Rinv_0_lt_compat _ S). unfold Rdiv.
    split; intros L; [apply Rmult_le_reg_r in L; easy|apply Rmult_le_compat_r; lra]. }
  unfold wins. split; intros [B M]; (split; [easy|]); intros i Hi; specialize (M i Hi);
    rewrite <- softmax_order in * by lia; apply O, M.
Qed.

(** * The Jacobian *)

(** When the scores move, a_i moves at the rate a_i (e'_i - Sum_l a_l e'_l). *)
Lemma softmax_along T (e : R -> nat -> R) (e' : nat -> R) x i : (0 < T)%nat ->
  (forall l, derivable_pt_lim (fun u => e u l) x (e' l)) ->
  derivable_pt_lim (fun u => softmax T (e u) i) x
    (softmax T (e x) i * (e' i - RSum (fun l => softmax T (e x) l * e' l) (idx T))).
Proof.
  intros H D. pose proof (denominator_pos T (e x) H) as P.
  assert (X : forall l, derivable_pt_lim (fun u => exp (e u l)) x (exp (e x l) * e' l)).
  { intros l. apply (derivable_pt_lim_comp (fun u => e u l) exp); [apply D|apply derivable_pt_lim_exp]. }
  assert (Q := derivable_pt_lim_div _ _ _ _ _ (X i)
    (derivable_RSum (fun l u => exp (e u l)) (fun l => exp (e x l) * e' l) x (idx T) (fun l _ => X l))).
  cbv beta in Q. specialize (Q ltac:(lra)).
  match type of Q with derivable_pt_lim _ _ ?l' =>
    replace (softmax T (e x) i * (e' i - RSum (fun l => softmax T (e x) l * e' l) (idx T))) with l'
  end; [exact Q|].
  unfold softmax. set (s := RSum (fun l => exp (e x l)) (idx T)) in *.
  rewrite (RSum_ext (fun l => exp (e x l) / s * e' l) (fun l => / s * (exp (e x l) * e' l)))
    by (intros; field; lra).
  rewrite RSum_scal. unfold Rsqr. field. lra.
Qed.

Lemma set_same e j m : set e j (e j) m = e m.
Proof. unfold set. destruct (Nat.eqb_spec m j); congruence. Qed.

Lemma derivable_set e j m : derivable_pt_lim (fun u => set e j u m) (e j) (delta m j).
Proof.
  unfold set, delta. destruct (Nat.eqb m j); [apply derivable_pt_lim_id|apply (derivable_pt_lim_const (e m))].
Qed.

Lemma softmax_ext T e f i : (forall l, e l = f l) -> softmax T e i = softmax T f i.
Proof. intros E. unfold softmax. rewrite E. f_equal. apply RSum_ext. intros. rewrite E. easy. Qed.

(** claim jacobian, the two cases together, as a true derivative (a limit)
      d a_i / d e_l = a_i (delta_il - a_l) *)
Theorem softmax_derivative T e i l : (l < T)%nat ->
  derivable_pt_lim (fun u => softmax T (set e l u) i) (e l) (J T e i l).
Proof.
  intros H.
  pose proof (softmax_along T (set e l) (fun m => delta m l) (e l) i ltac:(lia) (derivable_set e l)) as D.
  cbv beta in D. rewrite (softmax_ext T (set e l (e l)) e i (set_same e l)) in D.
  rewrite (RSum_ext _ (fun m => delta m l * softmax T e m)) in D
    by (intros; rewrite (softmax_ext T (set e l (e l)) e _ (set_same e l)); ring).
  rewrite RSum_delta in D by easy. exact D.
Qed.

(** claim jacobian, first case
      d a_j / d e_j = a_j (1 - a_j) *)
Theorem softmax_derivative_same T e j : (j < T)%nat ->
  derivable_pt_lim (fun u => softmax T (set e j u) j) (e j) (softmax T e j * (1 - softmax T e j)).
Proof.
  intros H. pose proof (softmax_derivative T e j j H) as D.
  unfold J, delta in D. rewrite Nat.eqb_refl in D. exact D.
Qed.

(** claim jacobian, second case
      d a_j / d e_l = - a_j a_l for l <> j *)
Theorem softmax_derivative_other T e j l : (l < T)%nat -> l <> j ->
  derivable_pt_lim (fun u => softmax T (set e l u) j) (e l) (- (softmax T e j * softmax T e l)).
Proof.
  intros H N. pose proof (softmax_derivative T e j l H) as D. unfold J, delta in D.
  destruct (Nat.eqb_spec j l); [congruence|].
  replace (- (softmax T e j * softmax T e l)) with (softmax T e j * (0 - softmax T e l)) by ring.
  exact D.
Qed.

(** claim row-sums: the Jacobian is symmetric ... *)
Theorem jacobian_symmetric T e i l : J T e i l = J T e l i.
Proof.
  unfold J, delta. rewrite Nat.eqb_sym. destruct (Nat.eqb_spec l i); subst; ring.
Qed.

(** ... its rows add to 0 ...
      Sum_l d a_i / d e_l = 0 *)
Theorem jacobian_row_sum T e i : (i < T)%nat -> RSum (fun l => J T e i l) (idx T) = 0.
Proof.
  intros H. unfold J. rewrite RSum_scal, RSum_minus, softmax_sum by lia.
  rewrite (RSum_ext _ (fun m => delta m i * 1)) by (intros; rewrite delta_sym; ring).
  rewrite RSum_delta by easy. ring.
Qed.

(** ... its columns add to 0 ... *)
Theorem jacobian_column_sum T e l : (l < T)%nat -> RSum (fun i => J T e i l) (idx T) = 0.
Proof.
  intros H. rewrite <- (jacobian_row_sum T e l H). apply RSum_ext. intros. apply jacobian_symmetric.
Qed.

(** x^T J x is the variance of x under the weights of the row. *)
Lemma jacobian_quadratic T e (x : nat -> R) : (0 < T)%nat ->
  RSum (fun i => RSum (fun l => x i * J T e i l * x l) (idx T)) (idx T)
  = RSum (fun i => softmax T e i * (x i - RSum (fun l => softmax T e l * x l) (idx T)) ^ 2) (idx T).
Proof.
  intros H. set (m := RSum (fun l => softmax T e l * x l) (idx T)).
  transitivity (RSum (fun i => softmax T e i * x i ^ 2) (idx T) - m * m).
  - rewrite (RSum_ext _ (fun i => softmax T e i * x i ^ 2 - m * (softmax T e i * x i))).
    + rewrite RSum_minus, RSum_scal. fold m. easy.
    + intros i Hi. apply in_idx in Hi. unfold J.
      rewrite (RSum_ext _ (fun l => x i * softmax T e i * (delta l i * x l - softmax T e l * x l)))
        by (intros; rewrite (delta_sym i); ring).
      rewrite RSum_scal, RSum_minus, RSum_delta by easy. fold m. ring.
  - rewrite (RSum_ext (fun i => softmax T e i * (x i - m) ^ 2)
      (fun i => softmax T e i * x i ^ 2 + (-2 * m * (softmax T e i * x i) + m ^ 2 * softmax T e i)))
      by (intros; ring).
    rewrite !RSum_plus, !RSum_scal, softmax_sum by easy. fold m. ring.
Qed.

(** claim row-sums: ... and it is positive semidefinite
      Sum_i Sum_l x_i (d a_i / d e_l) x_l >= 0 for every x *)
Theorem jacobian_psd T e (x : nat -> R) :
  0 <= RSum (fun i => RSum (fun l => x i * J T e i l * x l) (idx T)) (idx T).
Proof.
  destruct T as [|T]; [right; easy|]. rewrite jacobian_quadratic by lia. apply RSum_nonneg.
  intros i _. apply Rmult_le_pos; [left; apply softmax_pos; lia|]. apply pow2_ge_0.
Qed.
