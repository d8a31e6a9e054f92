(** Powers.v -- the typical size of a score, and the only exponent that keeps it.

    Axioms: those of Coq's real numbers. *)
From Coq Require Import List Reals Lra Lia.
From Sqrtdk Require Import Sums Counting RealSums Logarithm.
Import ListNotations.
Open Scope R_scope.

(** * Definitions *)

Definition Rcube (d : nat) : list (list R) := @cube reals d.
Definition Rat (k : list R) (r : nat) : R := nth r k 0.
Definition Rterm (q k : list R) (r : nat) : R := Rat q r * Rat k r.
Definition Rscore (d : nat) (q k : list R) : R := RSum (Rterm q k) (seq 0 d).

(** E[f], the average of f over the 2^d keys. *)
Definition E_ (d : nat) (f : list R -> R) : R := RSum f (Rcube d) / 2 ^ d.

(** The typical size of f: the root of E[f^2]. *)
Definition typical_size (d : nat) (f : list R -> R) : R := sqrt (E_ d (fun k => f k ^ 2)).

(** * Averages over every key *)

Lemma two_power_pos d : 0 < 2 ^ d.
Proof. apply pow_lt. lra. Qed.

Lemma E_ext d f g : (forall k, In k (Rcube d) -> f k = g k) -> E_ d f = E_ d g.
Proof. intros H. unfold E_. f_equal. apply RSum_ext, H. Qed.

Lemma E_scal d c f : E_ d (fun k => c * f k) = c * E_ d f.
Proof. unfold E_. rewrite RSum_scal. field. pose proof (two_power_pos d). lra. Qed.

Lemma Rcube_length d : INR (length (Rcube d)) = 2 ^ d.
Proof.
  transitivity (INR (Nat.pow 2 d)); [f_equal; exact (cube_length reals d)|].
  rewrite pow_INR. easy.
Qed.

(** claim pairing
      E[t_r t_s] = 0 for r <> s, for any query of reals *)
Theorem E_cross_terms d q r s : r <> s -> E_ d (fun k => Rterm q k r * Rterm q k s) = 0.
Proof.
  intros D. unfold E_.
  assert (Z : RSum (fun k => Rterm q k r * Rterm q k s) (Rcube d) = 0)
    by exact (proj2 (cross_terms reals d q r s D)).
  rewrite Z. field. pose proof (two_power_pos d). lra.
Qed.

(** claim mean
      E[e] = 0, for any query of reals *)
Theorem E_score d q : E_ d (Rscore d q) = 0.
Proof.
  unfold E_. assert (Z : RSum (Rscore d q) (Rcube d) = 0) by exact (sum_score reals d q).
  rewrite Z. field. pose proof (two_power_pos d). lra.
Qed.

(** claim second-moment
      E[e^2] = |q|^2, for any query of reals *)
Theorem E_score2 d q : E_ d (fun k => Rscore d q k ^ 2) = RSum (fun r => Rat q r ^ 2) (seq 0 d).
Proof.
  unfold E_. rewrite (RSum_ext _ (fun k => Rscore d q k * Rscore d q k)) by (intros; ring).
  assert (Z : RSum (fun k => Rscore d q k * Rscore d q k) (Rcube d)
              = @of_nat reals (Nat.pow 2 d) * RSum (fun r => Rat q r * Rat q r) (seq 0 d))
    by exact (sum_score2 reals d q).
  rewrite Z, R_of_nat, pow_INR. change (INR 2) with 2.
  rewrite (RSum_ext (fun r => Rat q r ^ 2) (fun r => Rat q r * Rat q r)) by (intros; ring).
  field. pose proof (two_power_pos d). lra.
Qed.

(** claim second-moment, for every d and every q in {-1,1}^d
      E[e^2] = d *)
Theorem second_moment d q : In q (Rcube d) -> E_ d (fun k => Rscore d q k ^ 2) = INR d.
Proof.
  intros H. rewrite E_score2, <- R_of_nat.
  rewrite (RSum_ext _ (fun r => Rat q r * Rat q r)) by (intros; ring).
  exact (norm2_signs reals d q H).
Qed.

(** claim typical-size
      sqrt(E[e^2]) = sqrt(d) *)
Theorem typical_size_of_a_score d q : In q (Rcube d) -> typical_size d (Rscore d q) = sqrt (INR d).
Proof. intros H. unfold typical_size. rewrite second_moment; easy. Qed.

(** claim unit-scale
      E[(e / sqrt(d))^2] = 1 *)
Theorem unit_scale d q : (0 < d)%nat -> In q (Rcube d) ->
  E_ d (fun k => (Rscore d q k / sqrt (INR d)) ^ 2) = 1.
Proof.
  intros P H. pose proof (lt_0_INR d P) as PD. pose proof (sqrt_lt_R0 _ PD) as PS.
  rewrite (E_ext _ _ (fun k => / INR d * Rscore d q k ^ 2)).
  - rewrite E_scal, second_moment by easy. field. lra.
  - intros k _. rewrite <- (sqrt_sqrt (INR d)) at 2 by lra. field. lra.
Qed.

(** claim two-properties, for any finite list of outcomes with any real weights
      E[t_r t_s] = 0 for r <> s, and E[t_r^2] = 1, imply E[e^2] = d *)
Theorem R_two_properties {A : Type} (outcomes : list A) (w : A -> R) (d : nat) (t : nat -> A -> R) :
  let E := fun f : A -> R => RSum (fun x => w x * f x) outcomes in
  let e := fun x : A => RSum (fun r => t r x) (seq 0 d) in
  (forall r s, (r < d)%nat -> (s < d)%nat -> r <> s -> E (fun x => t r x * t s x) = 0) ->
  (forall r, (r < d)%nat -> E (fun x => t r x ^ 2) = 1) ->
  E (fun x => e x ^ 2) = INR d.
Proof.
  intros E e H1 H2. rewrite <- R_of_nat.
  transitivity (E (fun x => e x * e x)); [apply RSum_ext; intros; ring|].
  apply (two_properties reals outcomes w d t H1).
  intros r Hr. transitivity (E (fun x => t r x ^ 2)); [|exact (H2 r Hr)].
  apply (RSum_ext (fun x => w x * (t r x * t r x))). intros. ring.
Qed.

(** * Only the root *)

(** claim only-the-root
      sqrt(E[(e / d^alpha)^2]) = d^(1/2 - alpha) *)
Theorem only_the_root d q alpha : (0 < d)%nat -> In q (Rcube d) ->
  typical_size d (fun k => Rscore d q k / power (INR d) alpha) = power (INR d) (1 / 2 - alpha).
Proof.
  intros P H. pose proof (lt_0_INR d P) as PD. pose proof (power_pos (INR d) alpha) as PA.
  unfold typical_size.
  rewrite (E_ext _ _ (fun k => (/ power (INR d) alpha) ^ 2 * Rscore d q k ^ 2))
    by (intros; unfold Rdiv; ring).
  rewrite E_scal, second_moment by easy.
  assert (E : (/ power (INR d) alpha) ^ 2 * INR d = power (INR d) (1 / 2 - alpha) ^ 2).
  { unfold Rminus. rewrite power_plus, power_opp, Rpow_mult_distr.
    rewrite power_half by easy. rewrite pow2_sqrt by lra. ring. }
  rewrite E. apply sqrt_pow2. left. apply power_pos.
Qed.

Lemma power_grows c M : 0 < c -> exists N, forall n, (N <= n)%nat -> M < power (INR (S n)) c.
Proof.
  intros C. set (M' := Rmax M 1).
  assert (P : 0 < M') by (pose proof (Rmax_r M 1); unfold M'; lra).
  exists (Z.to_nat (up (power M' (/ c)))). intros n Hn.
  assert (B : power M' (/ c) < INR (S n)).
  { destruct (archimed (power M' (/ c))) as [A _]. pose proof (power_pos M' (/ c)).
    apply Rlt_le_trans with (1 := A).
    assert (0 <= up (power M' (/ c)))%Z by (apply le_IZR; lra).
    rewrite INR_IZR_INZ. apply IZR_le. lia. }
  apply Rle_lt_trans with M'; [apply Rmax_l|].
  rewrite <- (power_1 M' P), <- (Rinv_l c), <- power_power by lra.
  apply power_lt; [easy|apply power_pos|exact B].
Qed.

Lemma powers_grow_or_vanish alpha :
  (alpha < 1 / 2 -> cv_infty (fun n => power (INR (S n)) (1 / 2 - alpha)))
  /\ (alpha = 1 / 2 -> forall n, power (INR (S n)) (1 / 2 - alpha) = 1)
  /\ (1 / 2 < alpha -> Un_cv (fun n => power (INR (S n)) (1 / 2 - alpha)) 0).
Proof.
  split; [|split]; intros H.
  - intros M. apply power_grows. lra.
  - intros n. subst. replace (1 / 2 - 1 / 2) with 0 by lra. apply power_0.
  - apply Un_cv_def. intros eps P. destruct (power_grows (alpha - 1 / 2) (/ eps)) as [N HN]; [lra|].
    exists N. intros n Hn. specialize (HN n Hn).
    replace (1 / 2 - alpha) with (- (alpha - 1 / 2)) by lra. rewrite power_opp.
    pose proof (Rinv_0_lt_compat _ (power_pos (INR (S n)) (alpha - 1 / 2))).
    rewrite Rminus_0_r, Rabs_right by lra. rewrite <- (Rinv_inv eps).
    apply Rinv_lt_contravar; [|exact HN].
    apply Rmult_lt_0_compat; [apply Rinv_0_lt_compat; lra|apply power_pos].
Qed.

(** claim only-the-root: a smaller exponent lets the size grow without bound, a larger one
    lets it vanish, and 1/2 leaves 1 at every width (widths d = n + 1, any queries of signs) *)
Theorem grows_or_vanishes (q : nat -> list R) alpha : (forall n, In (q n) (Rcube (S n))) ->
  let size := fun n => typical_size (S n) (fun k => Rscore (S n) (q n) k / power (INR (S n)) alpha) in
  (alpha < 1 / 2 -> cv_infty size)
  /\ (alpha = 1 / 2 -> forall n, size n = 1)
  /\ (1 / 2 < alpha -> Un_cv size 0).
Proof.
  intros Hq size. destruct (powers_grow_or_vanish alpha) as [G [I V]].
  assert (E : forall n, power (INR (S n)) (1 / 2 - alpha) = size n)
    by (intros n; symmetry; apply only_the_root; [lia|apply Hq]).
  split; [|split]; intros H.
  - intros M. destruct (G H M) as [N HN]. exists N. intros n Hn. rewrite <- E. auto.
  - intros n. rewrite <- E. auto.
  - apply (Un_cv_eq _ size 0 E). auto.
Qed.

(** claim only-the-root: 1/2 is the only exponent whose sizes stay between two positive bounds *)
Theorem the_only_exponent (q : nat -> list R) alpha : (forall n, In (q n) (Rcube (S n))) ->
  let size := fun n => typical_size (S n) (fun k => Rscore (S n) (q n) k / power (INR (S n)) alpha) in
  (exists lo hi, 0 < lo /\ forall n, lo <= size n <= hi) <-> alpha = 1 / 2.
Proof.
  intros Hq size.
  assert (X : (alpha < 1 / 2 -> cv_infty size) /\ (alpha = 1 / 2 -> forall n, size n = 1)
              /\ (1 / 2 < alpha -> Un_cv size 0)) by exact (grows_or_vanishes q alpha Hq).
  destruct X as [G [I V]]. split.
  - intros [lo [hi [P B]]]. destruct (Rtotal_order alpha (1 / 2)) as [L|[E|L]]; [|exact E|].
    + destruct (G L hi) as [N HN]. specialize (HN N (le_n N)). pose proof (B N). lra.
    + destruct (proj1 (Un_cv_def _ _) (V ltac:(lra)) lo P) as [N HN]. specialize (HN N (le_n N)).
      pose proof (B N). rewrite Rminus_0_r, Rabs_right in HN; lra.
  - intros E. exists 1, 1. split; [lra|]. intros n. rewrite (I E n). lra.
Qed.

(** claim only-the-root: alpha = 0 leaves sqrt(d), alpha = 1 leaves 1 / sqrt(d) *)
Theorem no_root_and_whole_width d q : (0 < d)%nat -> In q (Rcube d) ->
  typical_size d (Rscore d q) = sqrt (INR d)
  /\ typical_size d (fun k => Rscore d q k / INR d) = 1 / sqrt (INR d).
Proof.
  intros P H. pose proof (lt_0_INR d P) as PD. split.
  - apply typical_size_of_a_score, H.
  - transitivity (typical_size d (fun k => Rscore d q k / power (INR d) 1));
      [rewrite power_1; easy|]. rewrite only_the_root by easy.
    replace (1 / 2 - 1) with (- (1 / 2)) by lra. rewrite power_opp, power_half by easy.
    unfold Rdiv. ring.
Qed.
