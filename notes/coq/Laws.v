(** Laws.v -- beyond signs: independent coordinates with any centred law of size 1.

    A law is a finite list of (value, weight).  The claim needs of it three sums:
    the weights add to 1, the mean is 0, the mean square is 1.  No axioms. *)
From Coq Require Import List Ring Lia.
From Sqrtdk Require Import Sums Counting Moments.
Import ListNotations.

(** * Definitions *)

(** E[f(x)] for a number x drawn from the law. *)
Definition law_mean {C : Numbers} (law : list (C * C)) (f : C -> C) : C :=
  Sum (fun vw => mul (snd vw) (f (fst vw))) law.

(** E[f(k)] for a vector k of d coordinates drawn from the law, each independent of the others. *)
Fixpoint vector_mean {C : Numbers} (law : list (C * C)) (d : nat) (f : list C -> C) : C :=
  match d with
  | O => f []
  | S d' => law_mean law (fun x => vector_mean law d' (fun k => f (x :: k)))
  end.

(** Weights that add to 1, mean 0, mean square 1. *)
Definition centred_of_size_one {C : Numbers} (law : list (C * C)) : Prop :=
  law_mean law (fun _ => one) = one
  /\ law_mean law (fun x => x) = zero
  /\ law_mean law (fun x => mul x x) = one.

Section Laws.

Variable C : Numbers.
Add Ring C_ring : (laws C).
Local Open Scope numbers_scope.

Lemma law_mean_ext (law : list (C * C)) f g : (forall x, f x = g x) -> law_mean law f = law_mean law g.
Proof. intros E. apply Sum_ext. intros. rewrite E. easy. Qed.

Lemma law_mean_linear (law : list (C * C)) a f b g :
  law_mean law (fun x => a * f x + b * g x) = a * law_mean law f + b * law_mean law g.
Proof.
  unfold law_mean. rewrite <- !Sum_scal, <- Sum_plus. apply Sum_ext. intros. ring.
Qed.

Lemma vector_mean_ext (law : list (C * C)) d : forall f g,
  (forall k, f k = g k) -> vector_mean law d f = vector_mean law d g.
Proof.
  induction d as [|d IH]; intros f g E; simpl; [apply E|].
  apply law_mean_ext. intros x. apply IH. intros. apply E.
Qed.

Lemma vector_mean_linear (law : list (C * C)) d : forall a f b g,
  vector_mean law d (fun k => a * f k + b * g k) = a * vector_mean law d f + b * vector_mean law d g.
Proof.
  induction d as [|d IH]; intros a f b g; simpl; [easy|].
  rewrite <- law_mean_linear. apply law_mean_ext. intros x. apply IH.
Qed.

Lemma vector_mean_one (law : list (C * C)) d :
  law_mean law (fun _ => 1) = 1 -> vector_mean law d (fun _ => 1) = 1.
Proof.
  intros H. induction d as [|d IH]; simpl; [easy|].
  rewrite <- H. apply law_mean_ext. intros. rewrite H. exact IH.
Qed.

(** claim two-properties, what it is for: every centred initialisation with independent coordinates
    of typical size 1, and any fixed query
      E[e] = 0 and E[e^2] = |q|^2 *)
Theorem any_law_fixed_query (law : list (C * C)) d : centred_of_size_one law -> forall q : list C,
  vector_mean law d (fun k => score d q k) = 0
  /\ vector_mean law d (fun k => score d q k * score d q k) = norm2 d q.
Proof.
  intros [W [M V]]. induction d as [|d IH]; intros q; [unfold score, norm2; simpl; split; ring|].
  destruct (IH (tl q)) as [E1 E2]. change (vector_mean law d (score d (tl q)) = 0) in E1.
  pose proof (vector_mean_one law d W) as E0.
  set (x := at_ q 0). simpl vector_mean. split.
  - transitivity (law_mean law (fun y => x * y + 0 * 1)); [|rewrite law_mean_linear, M; ring].
    apply law_mean_ext. intros y.
    rewrite (vector_mean_ext law d _ (fun k => x * y * 1 + 1 * score d (tl q) k))
      by (intros; rewrite score_cons; fold x; ring).
    rewrite vector_mean_linear, E0, E1. ring.
  - assert (N : norm2 (S d) q = x * x + norm2 d (tl q)).
    { unfold norm2. rewrite Sum_first. f_equal. apply Sum_ext. intros r _.
      assert (T : at_ q (S r) = at_ (tl q) r) by (destruct q as [|z q], r; easy). rewrite T. easy. }
    rewrite N. transitivity (law_mean law (fun y => x * x * (y * y) + norm2 d (tl q) * 1));
      [|rewrite law_mean_linear, V, W; ring].
    apply law_mean_ext. intros y.
    rewrite (vector_mean_ext law d _ (fun k => x * x * (y * y) * 1
      + 1 * ((1 + 1) * (x * y) * score d (tl q) k + 1 * (score d (tl q) k * score d (tl q) k))))
      by (intros; rewrite score_cons; fold x; ring).
    rewrite vector_mean_linear, vector_mean_linear, E0, E1, E2. ring.
Qed.

(** claim two-properties, with the query drawn too, from a law of its own
      E[e^2] = d *)
Theorem any_law (law_q law_k : list (C * C)) d :
  centred_of_size_one law_q -> centred_of_size_one law_k ->
  vector_mean law_q d (fun q => vector_mean law_k d (fun k => score d q k * score d q k)) = of_nat d.
Proof.
  intros [W [_ V]] Hk.
  rewrite (vector_mean_ext law_q d _ (norm2 d)) by (intros q; apply (any_law_fixed_query law_k d Hk)).
  clear law_k Hk. induction d as [|d IH]; [easy|]. simpl vector_mean.
  transitivity (law_mean law_q (fun x => 1 * (x * x) + of_nat d * 1));
    [|rewrite law_mean_linear, V, W; simpl; ring].
  apply law_mean_ext. intros x. rewrite <- IH.
  rewrite (vector_mean_ext law_q d _ (fun k => x * x * 1 + 1 * norm2 d k)).
  - rewrite vector_mean_linear, (vector_mean_one law_q d W). ring.
  - intros k. unfold norm2. rewrite Sum_first.
    change (fun r => at_ (x :: k) (S r) * at_ (x :: k) (S r)) with (fun r => at_ k r * at_ k r).
    change (at_ (x :: k) 0) with x. ring.
Qed.

End Laws.
