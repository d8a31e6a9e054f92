(** Rows.v -- how much a row has left to learn: its trace, its two extremes, and the row that closes.

    Axioms: those of Coq's real numbers. *)
From Coq Require Import List Reals Lra Lia.
From Sqrtdk Require Import Sums RealSums Logarithm Softmax.
Import ListNotations.
Open Scope R_scope.

(** * Definitions *)

(** T weights: none negative, and they add to 1. *)
Definition is_row (T : nat) (a : nat -> R) : Prop :=
  (forall i, (i < T)%nat -> 0 <= a i) /\ RSum a (idx T) = 1.

(** 1 - Sum_j a_j^2 *)
Definition trace (T : nat) (a : nat -> R) : R := 1 - RSum (fun j => a j ^ 2) (idx T).

Lemma softmax_row T e : (0 < T)%nat -> is_row T (softmax T e).
Proof. intros H. split; [intros; left; apply softmax_pos, H|apply softmax_sum, H]. Qed.

Lemma row_nonempty T a : is_row T a -> 0 < INR T.
Proof. intros [_ S]. destruct T; [unfold RSum in S; simpl in S; lra|apply lt_0_INR; lia]. Qed.

Lemma row_le_1 T a i : is_row T a -> (i < T)%nat -> a i <= 1.
Proof.
  intros [P S] H. rewrite <- S. apply RSum_one_le; [|apply in_idx, H].
  intros j Hj. apply P, in_idx, Hj.
Qed.

Lemma row_two T a i l : is_row T a -> (i < T)%nat -> (l < T)%nat -> i <> l -> a i + a l <= 1.
Proof.
  intros [P S] Hi Hl N. rewrite <- S. apply RSum_two_le; try (apply in_idx; easy); [|easy].
  intros j Hj. apply P, in_idx, Hj.
Qed.

(** * The trace *)

(** claim trace
      Sum_j a_j (1 - a_j) = 1 - Sum_j a_j^2, and it is the sum of the Jacobian's diagonal *)
Theorem jacobian_trace T e : (0 < T)%nat ->
  RSum (fun j => softmax T e j * (1 - softmax T e j)) (idx T) = trace T (softmax T e)
  /\ RSum (fun j => J T e j j) (idx T) = trace T (softmax T e).
Proof.
  intros H.
  assert (E : RSum (fun j => softmax T e j * (1 - softmax T e j)) (idx T) = trace T (softmax T e)).
  { unfold trace.
    transitivity (RSum (softmax T e) (idx T) - RSum (fun j => softmax T e j ^ 2) (idx T)).
    - rewrite <- RSum_minus. apply RSum_ext. intros. ring.
    - rewrite softmax_sum; easy. }
  split; [exact E|]. rewrite <- E. apply RSum_ext. intros j _. unfold J, delta.
  rewrite Nat.eqb_refl. easy.
Qed.

(** T (1 - 1/T - trace) is a sum of squares. *)
Lemma trace_squares T a : is_row T a ->
  RSum (fun j => (a j - 1 / INR T) ^ 2) (idx T) = 1 - 1 / INR T - trace T a.
Proof.
  intros R. pose proof (row_nonempty T a R). destruct R as [_ S]. unfold trace.
  rewrite (RSum_ext _ (fun j => (a j ^ 2 + (-2 / INR T) * a j) + (1 / INR T) ^ 2))
    by (intros; field; lra).
  rewrite !RSum_plus, RSum_scal, RSum_const, length_idx, S. field. lra.
Qed.

Lemma trace_terms T a : is_row T a -> trace T a = RSum (fun j => a j * (1 - a j)) (idx T).
Proof.
  intros [_ S]. unfold trace. rewrite <- S at 1. rewrite <- RSum_minus.
  apply RSum_ext. intros. ring.
Qed.

Lemma trace_term_nonneg T a j : is_row T a -> In j (idx T) -> 0 <= a j * (1 - a j).
Proof.
  intros R Hj. apply in_idx in Hj. pose proof (row_le_1 T a j R Hj).
  apply Rmult_le_pos; [apply R, Hj|lra].
Qed.

(** claim trace-range
      0 <= 1 - Sum_j a_j^2 <= 1 - 1/T *)
Theorem trace_range T a : is_row T a -> 0 <= trace T a <= 1 - 1 / INR T.
Proof.
  intros R. split.
  - rewrite trace_terms by exact R. apply RSum_nonneg. intros j Hj. apply (trace_term_nonneg T a j R Hj).
  - pose proof (trace_squares T a R).
    pose proof (RSum_nonneg (fun j => (a j - 1 / INR T) ^ 2) (idx T) (fun j _ => pow2_ge_0 _)). lra.
Qed.

(** claim trace-range, above: the uniform row, and it alone *)
Theorem trace_maximum T a : is_row T a ->
  (trace T a = 1 - 1 / INR T <-> forall i, (i < T)%nat -> a i = 1 / INR T).
Proof.
  intros R. pose proof (trace_squares T a R) as Q. split.
  - intros E i Hi. apply in_idx in Hi.
    pose proof (RSum_one_le (fun j => (a j - 1 / INR T) ^ 2) (idx T) i (fun j _ => pow2_ge_0 _) Hi) as B.
    cbv beta in B. pose proof (pow2_ge_0 (a i - 1 / INR T)).
    assert ((a i - 1 / INR T) ^ 2 = 0) as Z by lra. simpl in Z. nra.
  - intros U. rewrite (RSum_ext _ (fun _ => 0)), RSum_const in Q; [lra|].
    intros j Hj. apply in_idx in Hj. rewrite U by easy. ring.
Qed.

(** claim trace-range, below: the whole row on one position, and it alone *)
Theorem trace_minimum T a : is_row T a -> (trace T a = 0 <-> exists c, (c < T)%nat /\ a c = 1).
Proof.
  intros R. pose proof (trace_terms T a R) as Q. split.
  - intros E.
    assert (B : forall j, In j (idx T) -> a j = 0 \/ a j = 1).
    { intros j Hj.
      pose proof (RSum_one_le (fun j => a j * (1 - a j)) (idx T) j
        (fun j Hj => trace_term_nonneg T a j R Hj) Hj) as B. cbv beta in B.
      pose proof (trace_term_nonneg T a j R Hj).
      assert (a j * (1 - a j) = 0) as Z by lra. apply Rmult_integral in Z. lra. }
    assert (X : forall l, (forall j, In j l -> a j = 0 \/ a j = 1) ->
                RSum a l = 0 \/ exists c, In c l /\ a c = 1).
    { induction l as [|j l IH]; intros H; [left; easy|].
      destruct (H j (or_introl eq_refl)) as [Z|O]; [|right; exists j; split; [left|]; easy].
      destruct IH as [Y|[c [I Y]]]; [intros; apply H; right; easy| |].
      - left. rewrite RSum_cons, Z, Y. ring.
      - right. exists c. split; [right|]; easy. }
    destruct (X (idx T) B) as [Y|[c [I Y]]]; [destruct R; lra|].
    exists c. split; [apply in_idx, I|exact Y].
  - intros [c [Hc One]]. rewrite Q, (RSum_ext _ (fun _ => 0)), RSum_const; [ring|].
    intros j Hj. apply in_idx in Hj. destruct (Nat.eq_dec j c) as [->|N]; [rewrite One; ring|].
    pose proof (row_two T a j c R Hj Hc N). pose proof (proj1 R j Hj).
    replace (a j) with 0 by lra. ring.
Qed.

(** claim trace-range, the softmax: equal scores give the maximum, 0.875 for T = 8 *)
Theorem trace_of_equal_scores T e s : (0 < T)%nat -> (forall i, (i < T)%nat -> e i = s) ->
  trace T (softmax T e) = 1 - 1 / INR T /\ (T = 8%nat -> trace T (softmax T e) = 0.875).
Proof.
  intros H E.
  assert (M : trace T (softmax T e) = 1 - 1 / INR T).
  { apply trace_maximum; [apply softmax_row, H|]. intros i Hi. unfold softmax.
    rewrite (RSum_ext (fun l => exp (e l)) (fun _ => exp s))
      by (intros l Hl; apply in_idx in Hl; rewrite E; easy).
    rewrite RSum_const, length_idx, E by easy. pose proof (exp_pos s). pose proof (lt_0_INR T H).
    field. lra. }
  split; [exact M|]. intros ->. rewrite M. simpl INR. lra.
Qed.

(** * The row that closes *)

(** Every entry of the Jacobian of a row is at most 1 - a_c, whichever position c we look at. *)
Theorem closed_row_bound T a c i l : is_row T a -> (c < T)%nat -> (i < T)%nat -> (l < T)%nat ->
  Rabs (a i * (delta i l - a l)) <= 1 - a c.
Proof.
  intros R Hc Hi Hl.
  pose proof (proj1 R i Hi). pose proof (proj1 R l Hl). pose proof (proj1 R c Hc).
  pose proof (row_le_1 T a i R Hi). pose proof (row_le_1 T a l R Hl). pose proof (row_le_1 T a c R Hc).
  unfold delta. destruct (Nat.eqb_spec i l) as [->|N].
  - rewrite Rabs_right by nra. destruct (Nat.eq_dec l c) as [->|M]; [nra|].
    pose proof (row_two T a l c R Hl Hc M). nra.
  - replace (a i * (0 - a l)) with (- (a i * a l)) by ring. rewrite Rabs_Ropp, Rabs_right by nra.
    destruct (Nat.eq_dec i c) as [->|M].
    + pose proof (row_two T a l c R Hl Hc ltac:(congruence)). nra.
    + pose proof (row_two T a i c R Hi Hc M). nra.
Qed.

Lemma Un_cv_gap (u : nat -> R) l : Un_cv u l -> Un_cv (fun n => l - u n) 0.
Proof.
  intros H. replace 0 with (l - l) by ring.
  apply (CV_minus (fun _ => l) u); [apply Un_cv_const|exact H].
Qed.

(** claim closed-row: as the weight of one position tends to 1, all of the row goes out at once
      lim J = 0 *)
Theorem closed_row T (e : nat -> nat -> R) c : (c < T)%nat ->
  Un_cv (fun n => softmax T (e n) c) 1 ->
  forall i l, (i < T)%nat -> (l < T)%nat -> Un_cv (fun n => J T (e n) i l) 0.
Proof.
  intros Hc Lim i l Hi Hl. apply (Un_cv_squeeze _ (fun n => 1 - softmax T (e n) c)).
  - intros n. apply (closed_row_bound T); try easy. apply softmax_row. lia.
  - apply Un_cv_gap, Lim.
Qed.

(** claim closed-row: with one whole position the Jacobian is the zero matrix, exactly *)
Theorem whole_row T a c i l : is_row T a -> (c < T)%nat -> (i < T)%nat -> (l < T)%nat ->
  a c = 1 -> a i * (delta i l - a l) = 0.
Proof.
  intros R Hc Hi Hl One. pose proof (closed_row_bound T a c i l R Hc Hi Hl) as B.
  pose proof (Rabs_pos (a i * (delta i l - a l))).
  destruct (Req_dec (a i * (delta i l - a l)) 0) as [|N]; [easy|].
  apply Rabs_pos_lt in N. lra.
Qed.

(** claim only-the-root, alpha = 0 saturates: scores s z whose size s grows without bound close the
    row on the position that wins, and its Jacobian dies *)
Theorem undivided_row_closes T (z : nat -> R) (s : nat -> R) c : (c < T)%nat ->
  (forall j, (j < T)%nat -> j <> c -> z j < z c) -> cv_infty s ->
  Un_cv (fun n => softmax T (fun j => s n * z j) c) 1
  /\ forall i l, (i < T)%nat -> (l < T)%nat -> Un_cv (fun n => J T (fun j => s n * z j) i l) 0.
Proof.
  intros Hc W Inf.
  assert (L : Un_cv (fun n => softmax T (fun j => s n * z j) c) 1).
  { apply (Un_cv_eq (fun n => 1 - (1 - softmax T (fun j => s n * z j) c))); [intros; ring|].
    replace 1 with (1 - 0) at 1 by ring.
    apply (CV_minus (fun _ => 1) (fun n => 1 - softmax T (fun j => s n * z j) c)); [apply Un_cv_const|].
    apply (Un_cv_squeeze _ (fun n => RSum (fun j => (1 - delta j c) * exp (s n * (z j - z c))) (idx T))).
    - intros n. set (a := softmax T (fun j => s n * z j)).
      assert (R : is_row T a) by (apply softmax_row; lia).
      pose proof (row_le_1 T a c R Hc). rewrite Rabs_right by lra.
      assert (S : 1 - a c = RSum (fun j => (1 - delta j c) * a j) (idx T)).
      { rewrite (RSum_ext _ (fun j => a j - delta j c * a j)) by (intros; ring).
        rewrite RSum_minus, RSum_delta by easy. destruct R as [_ ->]. easy. }
      rewrite S. apply RSum_le. intros j _. apply Rmult_le_compat_l.
      + unfold delta. destruct (Nat.eqb j c); lra.
      + replace (s n * (z j - z c)) with (s n * z j - s n * z c) by ring.
        rewrite <- (ratio T (fun j => s n * z j) j c) by lia. fold a.
        pose proof (softmax_pos T (fun j => s n * z j) c ltac:(lia)) as Pc.
        pose proof (softmax_pos T (fun j => s n * z j) j ltac:(lia)) as Pj. fold a in Pc, Pj.
        apply (Rmult_le_reg_r (a c)); [exact Pc|].
        replace (a j / a c * a c) with (a j) by (field; lra). nra.
    - replace 0 with (RSum (fun _ : nat => 0) (idx T)) by (rewrite RSum_const; ring).
      apply (Un_cv_RSum (fun n j => (1 - delta j c) * exp (s n * (z j - z c)))).
      intros j Hj. apply in_idx in Hj. unfold delta. destruct (Nat.eqb_spec j c) as [->|N].
      { apply (Un_cv_eq (fun _ => 0)); [intros; ring|apply Un_cv_const]. }
      specialize (W j Hj N). apply Un_cv_def. intros eps P.
      destruct (Inf (/ eps / (z c - z j))) as [n0 B]. exists n0. intros n Hn. specialize (B n Hn).
      assert (G : / eps < s n * (z c - z j)).
      { apply (Rmult_lt_compat_r (z c - z j)) in B; [|lra].
        replace (/ eps / (z c - z j) * (z c - z j)) with (/ eps) in B by (field; lra). exact B. }
      replace (s n * (z j - z c)) with (- (s n * (z c - z j))) by ring. rewrite exp_Ropp.
      pose proof (exp_above (s n * (z c - z j))).
      pose proof (Rinv_0_lt_compat eps P).
      rewrite Rminus_0_r, Rminus_0_r, Rmult_1_l, Rabs_right.
      + rewrite <- (Rinv_inv eps). apply Rinv_lt_contravar; [|lra]. apply Rmult_lt_0_compat; lra.
      + left. apply Rinv_0_lt_compat. lra. }
  split; [exact L|]. apply (closed_row T _ c Hc L).
Qed.

(** claim only-the-root, alpha = 1: scores that go to 0 give the uniform row, in every cell *)
Theorem vanishing_scores_flatten T (e : nat -> nat -> R) : (0 < T)%nat ->
  (forall j, (j < T)%nat -> Un_cv (fun n => e n j) 0) ->
  forall i, (i < T)%nat -> Un_cv (fun n => softmax T (e n) i) (1 / INR T).
Proof.
  intros H V i Hi. pose proof (lt_0_INR T H) as P.
  assert (X : forall j, (j < T)%nat -> Un_cv (fun n => exp (e n j)) 1).
  { intros j Hj. rewrite <- exp_0. apply (continuity_seq exp (fun n => e n j) 0); [|apply V, Hj].
    apply derivable_continuous_pt, derivable_pt_exp. }
  unfold softmax. apply (CV_mult (fun n => exp (e n i)) (fun n => / RSum (fun l => exp (e n l)) (idx T)));
    [apply X, Hi|].
  apply (continuity_seq (fun x => / x) (fun n => RSum (fun l => exp (e n l)) (idx T)) (INR T)).
  - apply (continuity_pt_inv id); [apply derivable_continuous_pt, derivable_pt_id|unfold id; lra].
  - replace (INR T) with (RSum (fun _ : nat => 1) (idx T))
      by (rewrite RSum_const, length_idx; ring).
    apply (Un_cv_RSum (fun n l => exp (e n l))). intros j Hj. apply X, in_idx, Hj.
Qed.

(** * What a closed row still gives *)

(** claim what-dies: the output of a row that closes is perfectly defined, it tends to V_c *)
Theorem closed_row_output T (e : nat -> nat -> R) c (V : nat -> R) : (c < T)%nat ->
  Un_cv (fun n => softmax T (e n) c) 1 ->
  Un_cv (fun n => RSum (fun j => softmax T (e n) j * V j) (idx T)) (V c).
Proof.
  intros Hc L. rewrite <- (RSum_delta V c T Hc).
  apply (Un_cv_RSum (fun n j => softmax T (e n) j * V j)). intros j Hj. apply in_idx in Hj.
  apply (CV_mult (fun n => softmax T (e n) j) (fun _ => V j)); [|apply Un_cv_const].
  unfold delta. destruct (Nat.eqb_spec j c) as [->|N]; [exact L|].
  apply (Un_cv_squeeze _ (fun n => 1 - softmax T (e n) c)); [|apply Un_cv_gap, L].
  intros n. assert (R : is_row T (softmax T (e n))) by (apply softmax_row; lia).
  pose proof (row_two T _ j c R Hj Hc N). pose proof (proj1 R j Hj). rewrite Rabs_right; lra.
Qed.
