(** SmallWidths.v -- the small widths are enough.

    For every m, Sum_k e^m over {-1,1}^d is 2^d times a polynomial in d of degree at most m.
    So a polynomial of degree at most m that agrees with the exhaustive counts at m + 1 widths
    agrees at every width.  No axioms. *)
From Coq Require Import List ZArith Lia.
From Sqrtdk Require Import Sums Counting Signs Polynomials.
Import ListNotations.
Open Scope Z_scope.

(** * Polynomials in the score, by their differences

    [below n p]: the n-th difference of p is 0, as it is for a polynomial of degree < n. *)

Fixpoint below (n : nat) (p : Z -> Z) : Prop :=
  match n with
  | O => forall x, p x = 0
  | S n' => below n' (fun x => p (x + 1) - p x)
  end.

Lemma below_ext n : forall p q, (forall x, p x = q x) -> below n p -> below n q.
Proof.
  induction n as [|n IH]; simpl; intros p q E H; [intros; rewrite <- E; easy|].
  apply (IH (fun x => p (x + 1) - p x)); [intros; rewrite !E; easy|exact H].
Qed.

Lemma below_add n : forall p q, below n p -> below n q -> below n (fun x => p x + q x).
Proof.
  induction n as [|n IH]; simpl; intros p q Hp Hq; [intros; rewrite Hp, Hq; easy|].
  eapply below_ext; [|apply (IH _ _ Hp Hq)]. intros; simpl; ring.
Qed.

Lemma below_opp n : forall p, below n p -> below n (fun x => - p x).
Proof.
  induction n as [|n IH]; simpl; intros p Hp; [intros; rewrite Hp; easy|].
  eapply below_ext; [|apply (IH _ Hp)]. intros; simpl; ring.
Qed.

Lemma below_shift n a : forall p, below n p -> below n (fun x => p (x + a)).
Proof.
  induction n as [|n IH]; simpl; intros p Hp; [easy|].
  eapply below_ext; [|apply (IH _ Hp)]. intros x; simpl. do 2 f_equal; ring.
Qed.

Lemma below_S n : forall p, below n p -> below (S n) p.
Proof.
  induction n as [|n IH]; intros p Hp.
  - simpl in *. intros. rewrite !Hp. easy.
  - simpl in Hp. apply IH in Hp. exact Hp.
Qed.

Lemma below_times_x n : forall p, below n p -> below (S n) (fun x => x * p x).
Proof.
  induction n as [|n IH]; intros p Hp.
  - simpl in *. intros. rewrite !Hp. ring.
  - change (below (S n) (fun x => (x + 1) * p (x + 1) - x * p x)).
    pose proof (below_add _ _ _ (IH _ Hp) (below_shift _ 1 _ Hp)) as H.
    eapply below_ext; [|exact H]. intros; simpl; ring.
Qed.

Lemma below_power m : below (S m) (fun x => x ^ Z.of_nat m).
Proof.
  induction m as [|m IH].
  - simpl. intros; ring.
  - apply (below_ext _ (fun x => x * x ^ Z.of_nat m)).
    + intros. rewrite Nat2Z.inj_succ, Z.pow_succ_r by lia. easy.
    + apply below_times_x, IH.
Qed.

(** One more coordinate: p(e) becomes p(e+1) + p(e-1).  Less 2 p(e), that is of lower degree. *)
Lemma below_step n p : below (S n) p -> below n (fun x => p (x + 1) + p (x - 1) - 2 * p x).
Proof.
  cbn [below]. intros H.
  pose proof (below_add _ _ _ H (below_opp _ _ (below_shift _ (-1) _ H))) as G.
  eapply below_ext; [|exact G]. intros x; cbv beta.
  replace (x + -1 + 1) with x by ring. replace (x + -1) with (x - 1) by ring. ring.
Qed.

(** * Sums over the cube, by their differences in d

    [D n f] is f differenced n times by f(d+1) - 2 f(d); on 2^d g(d) that is 2^(d+1) (g(d+1) - g(d)). *)

Fixpoint D (n : nat) (f : nat -> Z) (d : nat) : Z :=
  match n with
  | O => f d
  | S n' => D n' f (S d) - 2 * D n' f d
  end.

Lemma D_ext n f g : (forall d, f d = g d) -> forall d, D n f d = D n g d.
Proof. intros E. induction n as [|n IH]; cbn [D]; intros; [easy|]. rewrite !IH. easy. Qed.

Lemma D_first n f : forall d, D (S n) f d = D n (fun d => f (S d) - 2 * f d) d.
Proof. induction n as [|n IH]; intros d; [easy|]. cbn [D] in *. rewrite !IH. easy. Qed.

Lemma D_minus n a b f g : forall d, D n (fun d => a * f d - b * g d) d = a * D n f d - b * D n g d.
Proof. induction n as [|n IH]; cbn [D]; intros; [easy|]. rewrite !IH. ring. Qed.

Lemma D_times_d n f : forall d,
  D (S n) (fun d => Z.of_nat d * f d) d = Z.of_nat d * D (S n) f d + Z.of_nat (S n) * D n f (S d).
Proof.
  induction n as [|n IH]; intros d.
  - cbn [D]. rewrite Nat2Z.inj_succ. ring.
  - cbn [D] in *. rewrite !IH. rewrite !Nat2Z.inj_succ. ring.
Qed.

(** 2^d d^n has a constant n-th difference, up to 2^d. *)
Lemma D_top n : exists c, c <> 0 /\
  forall d, D n (fun d => Z.of_nat d ^ Z.of_nat n * 2 ^ Z.of_nat d) d = c * 2 ^ Z.of_nat d.
Proof.
  induction n as [|n [c [Hc IH]]].
  - exists 1. split; [easy|]. intros. cbn [D]. change (Z.of_nat 0) with 0. ring.
  - exists (Z.of_nat (S n) * c * 2). split; [lia|]. intros d.
    rewrite (D_ext _ _ (fun d => Z.of_nat d * (Z.of_nat d ^ Z.of_nat n * 2 ^ Z.of_nat d))).
    + rewrite D_times_d. cbn [D]. rewrite !IH.
      rewrite !Nat2Z.inj_succ, Z.pow_succ_r by lia. ring.
    + intros. rewrite (Nat2Z.inj_succ n), Z.pow_succ_r by lia. ring.
Qed.

(** What is annihilated by n differences is 2^d times a polynomial of degree < n, up to a denominator. *)
Lemma annihilated n : forall f, (forall d, D n f d = 0) ->
  exists N p, N <> 0 /\ (length p <= n)%nat /\
  forall d, N * f d = eval p (Z.of_nat d) * 2 ^ Z.of_nat d.
Proof.
  induction n as [|n IH]; intros f H.
  - exists 1, []. split; [easy|]. split; [easy|]. intros d. specialize (H d). cbn [D eval] in *. lia.
  - destruct (D_top n) as [c [Hc T]]. set (b := D n f 0).
    assert (K : forall d, D n f d = b * 2 ^ Z.of_nat d).
    { induction d as [|d IHd]; [change (2 ^ Z.of_nat 0) with 1; unfold b; ring|].
      specialize (H d). cbn [D] in H. rewrite Nat2Z.inj_succ, Z.pow_succ_r by lia. lia. }
    destruct (IH (fun d => c * f d - b * (Z.of_nat d ^ Z.of_nat n * 2 ^ Z.of_nat d)))
      as [N [p [HN [L E]]]].
    { intros d. rewrite D_minus, K, T. ring. }
    exists (N * c), (plus p (monomial (N * b) n)). split; [nia|]. split.
    + apply length_plus; [lia|]. rewrite length_monomial. lia.
    + intros d. rewrite eval_plus, eval_monomial. specialize (E d). cbv beta in E.
      transitivity (N * (c * f d - b * (Z.of_nat d ^ Z.of_nat n * 2 ^ Z.of_nat d))
                    + N * b * (Z.of_nat d ^ Z.of_nat n * 2 ^ Z.of_nat d)); [ring|].
      rewrite E. ring.
Qed.

(** * The moments of a score *)

(** Sum_k p(e), for the query of ones. *)
Definition cube_sum (p : Z -> Z) (d : nat) : Z := ZSum (fun k => p (Zscore d (repeat 1 d) k)) (Zcube d).

Lemma cube_sum_S p d : cube_sum p (S d) = cube_sum (fun x => p (x + 1) + p (x - 1)) d.
Proof.
  unfold cube_sum. rewrite ZSum_cube_S. apply ZSum_ext. intros k _. simpl repeat.
  rewrite !Zscore_cons. f_equal; f_equal; ring.
Qed.

(** Every query of signs has the same moments. *)
Lemma any_query p d : forall q, In q (Zcube d) ->
  ZSum (fun k => p (Zscore d q k)) (Zcube d) = cube_sum p d.
Proof.
  revert p. induction d as [|d IH]; intros p q Hq.
  - destruct Hq as [<-|[]]. easy.
  - rewrite cube_sum_S. apply (cube_members integers) in Hq as [L F].
    destruct q as [|x q]; [easy|]. inversion F as [|? ? Hx F']; subst.
    assert (Hq : In q (Zcube d)) by (apply (cube_members integers); split; [injection L; easy|easy]).
    rewrite <- (IH _ q Hq), ZSum_cube_S. apply ZSum_ext. intros k _. rewrite !Zscore_cons.
    destruct Hx as [->| ->]; cbn [one opp integers]; [|rewrite Z.add_comm]; f_equal; f_equal; ring.
Qed.

Lemma D_cube_sum n : forall p, below n p -> forall d, D n (cube_sum p) d = 0.
Proof.
  induction n as [|n IH]; intros p Hp d.
  - simpl in *. unfold cube_sum. rewrite (ZSum_ext _ (fun _ => 0)) by (intros; apply Hp).
    rewrite ZSum_const. ring.
  - rewrite D_first, (D_ext _ _ (cube_sum (fun x => p (x + 1) + p (x - 1) - 2 * p x))).
    + apply IH, below_step, Hp.
    + intros d'. rewrite cube_sum_S. unfold cube_sum.
      rewrite (ZSum_ext (fun k => p (Zscore d' (repeat 1 d') k + 1) + p (Zscore d' (repeat 1 d') k - 1)
                                  - 2 * p (Zscore d' (repeat 1 d') k))
                        (fun k => (p (Zscore d' (repeat 1 d') k + 1) + p (Zscore d' (repeat 1 d') k - 1))
                                  + (-2) * p (Zscore d' (repeat 1 d') k))) by (intros; ring).
      rewrite (ZSum_plus _ (fun k => (-2) * p (Zscore d' (repeat 1 d') k))), (ZSum_scal (-2)). ring.
Qed.

(** claim small-widths, the form: E[e^m] is a polynomial in d of degree at most m
      N Sum_k e^m = p(d) 2^d, where N <> 0 is the common denominator *)
Theorem moment_is_polynomial m : exists N p, N <> 0 /\ (length p <= S m)%nat /\
  forall d q, In q (Zcube d) ->
    N * ZSum (fun k => Zscore d q k ^ Z.of_nat m) (Zcube d) = eval p (Z.of_nat d) * 2 ^ Z.of_nat d.
Proof.
  destruct (annihilated (S m) _ (D_cube_sum _ _ (below_power m))) as [N [p [HN [L E]]]].
  exists N, p. split; [exact HN|]. split; [exact L|]. intros d q Hq.
  rewrite (any_query (fun x => x ^ Z.of_nat m) d q Hq). apply E.
Qed.

(** claim small-widths: a polynomial of degree <= m (p over the denominator N) that agrees with the
    exhaustive counts at m + 1 widths is E[e^m] at every width *)
Theorem small_widths m N p (widths : list nat) :
  N <> 0 -> (length p <= S m)%nat -> NoDup widths -> length widths = S m ->
  (forall d, In d widths ->
     N * ZSum (fun k => Zscore d (repeat 1 d) k ^ Z.of_nat m) (Zcube d)
     = eval p (Z.of_nat d) * 2 ^ Z.of_nat d) ->
  forall d q, In q (Zcube d) ->
    N * ZSum (fun k => Zscore d q k ^ Z.of_nat m) (Zcube d) = eval p (Z.of_nat d) * 2 ^ Z.of_nat d.
Proof.
  intros HN L ND Lw H d q Hq. rewrite (any_query (fun x => x ^ Z.of_nat m) d q Hq).
  destruct (annihilated (S m) _ (D_cube_sum _ _ (below_power m))) as [M [r [HM [Lr E]]]].
  destruct (polynomial_zero m (plus (scale N r) (scale (- M) p)) widths) as [Z _]; try easy.
  - apply length_plus; rewrite length_scale; easy.
  - intros n Hn. specialize (H n Hn). specialize (E n). fold (cube_sum (fun x => x ^ Z.of_nat m) n) in H.
    rewrite eval_plus, !eval_scale.
    assert (0 < 2 ^ Z.of_nat n) by (apply Z.pow_pos_nonneg; lia). nia.
  - specialize (Z (Z.of_nat d)). specialize (E d). rewrite eval_plus, !eval_scale in Z.
    assert (M * (N * cube_sum (fun x => x ^ Z.of_nat m) d)
            = M * (eval p (Z.of_nat d) * 2 ^ Z.of_nat d)); [|nia].
    transitivity (N * (M * cube_sum (fun x => x ^ Z.of_nat m) d)); [ring|].
    rewrite E. transitivity (N * eval r (Z.of_nat d) * 2 ^ Z.of_nat d); [ring|].
    replace (N * eval r (Z.of_nat d)) with (M * eval p (Z.of_nat d)) by lia. ring.
Qed.

(** * The method at work: seven counts prove the sixth moment for every width *)

(** claim small-widths, an instance: counted at d = 0, ..., 6, hence true for every d
      E[e^6] = 15 d^3 - 30 d^2 + 16 d *)
Theorem sixth_moment d q : In q (Zcube d) ->
  ZSum (fun k => Zscore d q k ^ 6) (Zcube d)
  = (15 * Z.of_nat d ^ 3 - 30 * Z.of_nat d ^ 2 + 16 * Z.of_nat d) * 2 ^ Z.of_nat d.
Proof.
  intros Hq.
  pose proof (small_widths 6 1 [0; 16; -30; 15] (seq 0 7)) as H.
  change (Z.of_nat 6) with 6 in H.
  assert (E : 1 * ZSum (fun k => Zscore d q k ^ 6) (Zcube d)
              = eval [0; 16; -30; 15] (Z.of_nat d) * 2 ^ Z.of_nat d).
  { apply H; try easy.
    - simpl; lia.
    - apply seq_NoDup.
    - intros w Hw. simpl in Hw.
      repeat (destruct Hw as [<-|Hw]; [vm_compute; reflexivity|]). easy. }
  rewrite Z.mul_1_l in E. rewrite E. cbn [eval]. ring.
Qed.
