(** Moments.v -- E[e^4] for every width, and why small widths are enough.  No axioms. *)
From Coq Require Import List Ring ZArith Lia.
From Sqrtdk Require Import Sums Counting Signs Polynomials.
Import ListNotations.

(** * The fourth moment *)

Section Fourth.

Variable C : Numbers.
Add Ring C_ring : (laws C).
Local Open Scope numbers_scope.

Lemma Sum_cube_S (f : list C -> C) d :
  Sum f (cube (S d)) = Sum (fun k => f (1 :: k) + f (- (1) :: k)) (cube d).
Proof. simpl. rewrite Sum_app, !Sum_map. symmetry. apply Sum_plus. Qed.

Lemma score_cons d (q : list C) y k : score (S d) q (y :: k) = at_ q 0 * y + score d (tl q) k.
Proof.
  unfold score. rewrite Sum_first. f_equal. apply Sum_ext. intros r _.
  unfold term, at_. destruct q as [|x q]; simpl; [|easy]. destruct r; easy.
Qed.

Lemma Sum_const {A} (c : C) (l : list A) : Sum (fun _ => c) l = of_nat (length l) * c.
Proof. induction l as [|a l IH]; simpl; [|rewrite IH]; ring. Qed.

(** claim fourth-moment, for any query
      Sum_k e^4 = 2^d (3 |q|^4 - 2 Sum_r q_r^4) *)
Theorem sum_score4 d : forall q : list C,
  Sum (fun k => nat_power (score d q k) 4) (cube d)
  = of_nat (Nat.pow 2 d)
    * (of_nat 3 * (norm2 d q * norm2 d q) - of_nat 2 * Sum (fun r => nat_power (at_ q r) 4) (seq 0 d)).
Proof.
  induction d as [|d IH]; intros q; [unfold norm2, score; simpl; ring|].
  set (x := at_ q 0).
  assert (T : forall r, at_ q (S r) = at_ (tl q) r) by (intros; destruct q as [|y q], r; easy).
  assert (N : norm2 (S d) q = x * x + norm2 d (tl q)).
  { unfold norm2. rewrite Sum_first. f_equal. apply Sum_ext. intros r _. rewrite T. easy. }
  rewrite N, Sum_first. fold x.
  rewrite (Sum_ext C (fun r => nat_power (at_ q (S r)) 4) (fun r => nat_power (at_ (tl q) r) 4))
    by (intros; rewrite T; easy).
  rewrite Sum_cube_S.
  rewrite (Sum_ext C _ (fun k => of_nat 2 * nat_power (score d (tl q) k) 4
      + (of_nat 12 * (x * x) * (score d (tl q) k * score d (tl q) k) + of_nat 2 * nat_power x 4))).
  - rewrite Sum_plus, Sum_scal, IH, Sum_plus, Sum_scal, sum_score2, Sum_const, cube_length.
    change (Nat.pow 2 (S d)) with (2 * Nat.pow 2 d)%nat. rewrite of_nat_mul. cbn [of_nat nat_power]. ring.
  - intros k _. rewrite !score_cons. fold x. cbn [of_nat nat_power]. ring.
Qed.

Lemma sum_fourths d (q : list C) : In q (cube d) ->
  Sum (fun r => nat_power (at_ q r) 4) (seq 0 d) = of_nat d.
Proof.
  intros H. rewrite (Sum_ext C _ (fun _ => 1)), Sum_one, length_seq'; [easy|].
  intros r Hr. apply in_seq in Hr. cbn [nat_power].
  transitivity (at_ q r * at_ q r * (at_ q r * at_ q r)); [ring|].
  rewrite (sign_square C (at_ q r)); [ring|]. apply (at_sign C d); [easy|lia].
Qed.

End Fourth.

Open Scope Z_scope.

(** claim fourth-moment, for signs
      Sum_k e^4 = (3 d^2 - 2 d) 2^d, that is E[e^4] = 3 d^2 - 2 d *)
Theorem Z_fourth_moment d q : In q (Zcube d) ->
  ZSum (fun k => Zscore d q k ^ 4) (Zcube d)
  = (3 * Z.of_nat d ^ 2 - 2 * Z.of_nat d) * 2 ^ Z.of_nat d.
Proof.
  intros H. rewrite (ZSum_ext _ (fun k => @nat_power integers (Zscore d q k) 4)).
  2:{ intros k _. change (Zscore d q k ^ 4 =
        Zscore d q k * (Zscore d q k * (Zscore d q k * (Zscore d q k * 1)))). ring. }
  etransitivity; [exact (sum_score4 integers d q)|].
  rewrite (norm2_signs integers d q H), (sum_fourths integers d q H), !Z_of_nat, Z_two_power.
  change (2 ^ Z.of_nat d * (3 * (Z.of_nat d * Z.of_nat d) - 2 * Z.of_nat d)
          = (3 * Z.of_nat d ^ 2 - 2 * Z.of_nat d) * 2 ^ Z.of_nat d). ring.
Qed.
