(** Signs.v -- the lesson's own statements, over the integers: q and k are vectors of signs.

    Exact counts: an average over the 2^d keys is written as a sum, so that
    E[e^2] = d reads Sum_k e^2 = d 2^d.  Then the scope of the result: exact
    counterexamples when a hypothesis is dropped.  No axioms. *)
From Coq Require Import List ZArith Lia.
From Sqrtdk Require Import Sums Counting.
Import ListNotations.
Open Scope Z_scope.

(** * Definitions *)

Lemma Z_one_is_not_zero : 1 <> 0. Proof. easy. Qed.
Lemma Z_halve x : x + x = 0 -> x = 0. Proof. lia. Qed.

Lemma Z_laws : ring_theory 0 1 Z.add Z.mul Z.sub Z.opp eq.
Proof. constructor; intros; ring. Qed.

Definition integers : Numbers := {|
  carrier := Z; zero := 0; one := 1; add := Z.add; mul := Z.mul; sub := Z.sub; opp := Z.opp;
  laws := Z_laws; one_is_not_zero := Z_one_is_not_zero; halve := Z_halve |}.

Definition ZSum {A : Type} (f : A -> Z) (l : list A) : Z := @Sum integers A f l.
Definition Zcube (d : nat) : list (list Z) := @cube integers d.
Definition Zat (k : list Z) (r : nat) : Z := nth r k 0.
Definition Zflip (r : nat) (k : list Z) : list Z := @flip integers r k.
Definition Zterm (q k : list Z) (r : nat) : Z := Zat q r * Zat k r.
Definition Zscore (d : nat) (q k : list Z) : Z := ZSum (Zterm q k) (seq 0 d).
Definition ZSum_neq (d : nat) (g : nat -> nat -> Z) : Z := @Sum_neq integers d g.

(** The number m of coordinates in which q and k agree. *)
Definition agreements (d : nat) (q k : list Z) : nat :=
  length (filter (fun r => Zat q r =? Zat k r) (seq 0 d)).

(** A law of the signs that is not centred: +1 with weight a, -1 with weight b, independently. *)
Definition bias (a b : Z) (k : list Z) : Z :=
  fold_right (fun x w => (if x =? 1 then a else b) * w) 1 k.

(** * Signs *)

Lemma ZSum_ext {A} (f g : A -> Z) l : (forall x, In x l -> f x = g x) -> ZSum f l = ZSum g l.
Proof. exact (Sum_ext integers f g l). Qed.

Lemma ZSum_plus {A} (f g : A -> Z) l : ZSum (fun x => f x + g x) l = ZSum f l + ZSum g l.
Proof. exact (Sum_plus integers f g l). Qed.

Lemma ZSum_scal {A} c (f : A -> Z) l : ZSum (fun x => c * f x) l = c * ZSum f l.
Proof. exact (Sum_scal integers c f l). Qed.

Lemma ZSum_const {A} c (l : list A) : ZSum (fun _ => c) l = Z.of_nat (length l) * c.
Proof.
  unfold ZSum. induction l as [|a l IH]; [easy|]. cbn [Sum length]. rewrite IH, Nat2Z.inj_succ.
  change (c + Z.of_nat (length l) * c = Z.succ (Z.of_nat (length l)) * c). ring.
Qed.

Lemma Z_of_nat n : @of_nat integers n = Z.of_nat n.
Proof.
  induction n as [|n IH]; [easy|]. cbn [of_nat]. rewrite IH, Nat2Z.inj_succ.
  change (1 + Z.of_nat n = Z.succ (Z.of_nat n)). lia.
Qed.

Lemma Z_two_power d : Z.of_nat (Nat.pow 2 d) = 2 ^ Z.of_nat d.
Proof. rewrite Nat2Z.inj_pow. easy. Qed.

Lemma Zcube_length d : Z.of_nat (length (Zcube d)) = 2 ^ Z.of_nat d.
Proof. rewrite <- Z_two_power. f_equal. exact (cube_length integers d). Qed.

Lemma Zcube_at d k r : In k (Zcube d) -> (r < d)%nat -> Zat k r = 1 \/ Zat k r = -1.
Proof. exact (at_sign integers d k r). Qed.

(** The cube is what it should be: exactly the vectors of d signs, each once, 2^d of them. *)
Theorem Z_cube d :
  (forall k, In k (Zcube d) <-> length k = d /\ Forall (fun x => x = 1 \/ x = -1) k)
  /\ NoDup (Zcube d) /\ Z.of_nat (length (Zcube d)) = 2 ^ Z.of_nat d.
Proof.
  split; [exact (cube_members integers d)|]. split; [exact (cube_NoDup integers d)|apply Zcube_length].
Qed.

(** claim match-count: m agreements out of d
      e = m - (d - m) = 2m - d *)
Theorem match_count d q k : In q (Zcube d) -> In k (Zcube d) ->
  let m := Z.of_nat (agreements d q k) in
  Zscore d q k = m - (Z.of_nat d - m) /\ Zscore d q k = 2 * m - Z.of_nat d.
Proof.
  intros Hq Hk m. enough (E : Zscore d q k = 2 * m - Z.of_nat d) by lia.
  unfold m, Zscore, agreements. clear m.
  assert (G : forall l, (forall r, In r l -> (r < d)%nat) ->
    ZSum (Zterm q k) l =
    2 * Z.of_nat (length (filter (fun r => Zat q r =? Zat k r) l)) - Z.of_nat (length l)).
  { induction l as [|r l IH]; intros B; [easy|].
    change (ZSum (Zterm q k) (r :: l)) with (Zterm q k r + ZSum (Zterm q k) l).
    rewrite IH by (intros; apply B; right; easy). unfold Zterm.
    pose proof (B r (or_introl eq_refl)) as Hr.
    cbn [filter length].
    destruct (Zcube_at d q r Hq Hr) as [->| ->], (Zcube_at d k r Hk Hr) as [->| ->];
      cbn [Z.eqb Pos.eqb length]; lia. }
  rewrite G, (length_seq' d 0); [easy|]. intros r Hr. apply in_seq in Hr. lia.
Qed.

(** claim match-count, the two examples: 3 against 1 gives 2, 300 against 100 gives 200 *)
Theorem match_count_examples :
  (forall q k, In q (Zcube 4) -> In k (Zcube 4) -> agreements 4 q k = 3%nat -> Zscore 4 q k = 2)
  /\ (forall q k, In q (Zcube 400) -> In k (Zcube 400) ->
        agreements 400 q k = 300%nat -> Zscore 400 q k = 200).
Proof.
  split; intros q k Hq Hk M; [pose proof (match_count 4 q k Hq Hk) as E|
    pose proof (match_count 400 q k Hq Hk) as E]; cbv zeta in E; rewrite M in E; lia.
Qed.

(** claim term-sign: t_r is +1 or -1, and t_r^2 = 1 *)
Theorem Z_term_sign d q k r : In q (Zcube d) -> In k (Zcube d) -> (r < d)%nat ->
  (Zterm q k r = 1 \/ Zterm q k r = -1) /\ Zterm q k r ^ 2 = 1.
Proof.
  intros Hq Hk Hr. rewrite Z.pow_2_r. exact (term_sign integers d q k r Hq Hk Hr).
Qed.

(** claim square-split
      e^2 = Sum_r t_r^2 + Sum_{r<>s} t_r t_s = d + Sum_{r<>s} t_r t_s *)
Theorem Z_square_split d q k : In q (Zcube d) -> In k (Zcube d) ->
  Zscore d q k ^ 2
    = ZSum (fun r => Zterm q k r ^ 2) (seq 0 d) + ZSum_neq d (fun r s => Zterm q k r * Zterm q k s)
  /\ Zscore d q k ^ 2
    = Z.of_nat d + ZSum_neq d (fun r s => Zterm q k r * Zterm q k s).
Proof.
  intros Hq Hk. destruct (square_split integers d q k Hq Hk) as [E1 E2].
  rewrite Z.pow_2_r. rewrite (ZSum_ext (fun r => Zterm q k r ^ 2) (fun r => Zterm q k r * Zterm q k r))
    by (intros; apply Z.pow_2_r).
  rewrite <- Z_of_nat. split; [exact E1|exact E2].
Qed.

(** claim pairing: for r <> s, the 2^d vectors fall into 2^(d-1) pairs {k, k with k_r changed};
    each vector has one partner, never itself; t_r t_s is opposite inside a pair; so
      Sum_k t_r t_s = 0, that is E[t_r t_s] = 0 *)
Theorem Z_pairing d q r s : (r < d)%nat -> (s < d)%nat -> r <> s ->
  length (Zcube d) = Nat.pow 2 d
  /\ (forall k, In k (Zcube d) ->
        In (Zflip r k) (Zcube d) /\ Zflip r (Zflip r k) = k /\ Zflip r k <> k
        /\ Zterm q (Zflip r k) r * Zterm q (Zflip r k) s = - (Zterm q k r * Zterm q k s))
  /\ (exists half, length half = Nat.pow 2 (d - 1)
        /\ Permutation.Permutation (half ++ map (Zflip r) half) (Zcube d))
  /\ ZSum (fun k => Zterm q k r * Zterm q k s) (Zcube d) = 0.
Proof.
  intros Hr Hs D. destruct (cross_terms integers d q r s D) as [F Z].
  destruct (perfect_matching integers d r Hr) as [M1 M2].
  split; [exact (cube_length integers d)|]. split; [|split; [exact M2|exact Z]].
  intros k Hk. destruct (M1 k Hk) as [A [B N]].
  split; [exact A|]. split; [exact B|]. split; [exact N|exact (F k)].
Qed.

(** claim mean
      Sum_k e = 0, that is E[e] = 0 *)
Theorem Z_mean d q : ZSum (Zscore d q) (Zcube d) = 0.
Proof. exact (sum_score integers d q). Qed.

(** claim second-moment, for every d and every fixed q in {-1,1}^d
      Sum_k e^2 = d 2^d, that is E[e^2] = d *)
Theorem Z_second_moment d q : In q (Zcube d) ->
  ZSum (fun k => Zscore d q k ^ 2) (Zcube d) = Z.of_nat d * 2 ^ Z.of_nat d.
Proof.
  intros H. rewrite (ZSum_ext _ (fun k => Zscore d q k * Zscore d q k)) by (intros; apply Z.pow_2_r).
  etransitivity; [exact (sum_score2 integers d q)|].
  rewrite (norm2_signs integers d q H), !Z_of_nat, Z_two_power. apply Z.mul_comm.
Qed.

(** claim second-moment, for any query of integers
      Sum_k e^2 = |q|^2 2^d, that is E[e^2] = |q|^2 *)
Theorem Z_second_moment_any_query d q :
  ZSum (fun k => Zscore d q k ^ 2) (Zcube d) = ZSum (fun r => Zat q r ^ 2) (seq 0 d) * 2 ^ Z.of_nat d.
Proof.
  rewrite (ZSum_ext _ (fun k => Zscore d q k * Zscore d q k)) by (intros; apply Z.pow_2_r).
  rewrite (ZSum_ext (fun r => Zat q r ^ 2) (fun r => Zat q r * Zat q r)) by (intros; apply Z.pow_2_r).
  etransitivity; [exact (sum_score2 integers d q)|].
  rewrite !Z_of_nat, Z_two_power. apply Z.mul_comm.
Qed.

(** * The scope: what happens when a hypothesis is dropped *)

(** claim scope, k = q: the score is d always, so
      Sum_q (q.q)^2 = d^2 2^d, that is E[(q.q)^2] = d^2 *)
Theorem scope_self d :
  (forall q, In q (Zcube d) -> Zscore d q q = Z.of_nat d)
  /\ ZSum (fun q => Zscore d q q ^ 2) (Zcube d) = Z.of_nat d ^ 2 * 2 ^ Z.of_nat d.
Proof.
  assert (E : forall q, In q (Zcube d) -> Zscore d q q = Z.of_nat d).
  { intros q H. rewrite <- Z_of_nat. exact (norm2_signs integers d q H). }
  split; [exact E|].
  rewrite (ZSum_ext _ (fun _ => Z.of_nat d ^ 2)) by (intros q H; rewrite (E q H); easy).
  rewrite ZSum_const, Zcube_length. ring.
Qed.

Lemma length_repeat' (x : Z) d : length (repeat x d) = d.
Proof. induction d; simpl; congruence. Qed.

(** claim scope, correlation: when all the coordinates of k are one same sign, each is still
    centred and of size 1, and the score is d or -d:
      E[k_r] = 0 and E[k_r^2] = 1, yet E[e^2] = d^2 *)
Theorem scope_correlated d :
  let keys := [repeat 1 d; repeat (-1) d] in
  (forall k, In k keys -> In k (Zcube d))
  /\ (forall r, (r < d)%nat -> ZSum (fun k => Zat k r) keys = 0 /\ ZSum (fun k => Zat k r ^ 2) keys = 2)
  /\ ZSum (fun k => Zscore d (repeat 1 d) k ^ 2) keys = 2 * Z.of_nat d ^ 2.
Proof.
  assert (A : forall x r, (r < d)%nat -> Zat (repeat x d) r = x).
  { intros x. unfold Zat. clear. induction d as [|d IH]; intros [|r] H; simpl; try lia. apply IH. lia. }
  assert (S : forall x, Zscore d (repeat 1 d) (repeat x d) = Z.of_nat d * x).
  { intros x. unfold Zscore. rewrite (ZSum_ext _ (fun _ => x)), ZSum_const, length_seq'; [easy|].
    intros r H. apply in_seq in H. unfold Zterm. rewrite !A by lia. lia. }
  assert (C : forall x, x = 1 \/ x = -1 -> In (repeat x d) (Zcube d)).
  { intros x Hx. apply (cube_members integers). split.
    - apply (length_repeat' x).
    - clear -Hx. induction d; [constructor|]. apply Forall_cons; easy. }
  cbv zeta. split; [|split].
  - intros k [<-|[<-|[]]]; apply C; auto.
  - intros r H. change (Zat (repeat 1 d) r + (Zat (repeat (-1) d) r + 0) = 0
      /\ Zat (repeat 1 d) r ^ 2 + (Zat (repeat (-1) d) r ^ 2 + 0) = 2).
    rewrite !A by easy. easy.
  - change (Zscore d (repeat 1 d) (repeat 1 d) ^ 2
      + (Zscore d (repeat 1 d) (repeat (-1) d) ^ 2 + 0) = 2 * Z.of_nat d ^ 2).
    rewrite !S. ring.
Qed.

Lemma ZSum_cube_S (f : list Z -> Z) d :
  ZSum f (Zcube (S d)) = ZSum (fun k => f (1 :: k) + f (-1 :: k)) (Zcube d).
Proof.
  unfold ZSum, Zcube. cbn [cube]. rewrite Sum_app, !Sum_map. symmetry. exact (Sum_plus integers _ _ _).
Qed.

Lemma Zscore_cons d x y (q k : list Z) : Zscore (S d) (x :: q) (y :: k) = x * y + Zscore d q k.
Proof. exact (Sum_first integers (Zterm (x :: q) (y :: k)) d). Qed.

(** claim scope, mean: independent signs, +1 with weight a and -1 with weight b (so t_r^2 = 1 still),
    have mean u = (a-b)/(a+b), and then E[e^2] = d + d(d-1) u^2.  Without fractions:
      (a+b)^2 Sum_k w(k) e^2 = (a+b)^d (d (a+b)^2 + d(d-1) (a-b)^2),  where Sum_k w(k) = (a+b)^d *)
Theorem scope_biased a b d :
  ZSum (bias a b) (Zcube d) = (a + b) ^ Z.of_nat d
  /\ (a + b) * ZSum (fun k => bias a b k * Zscore d (repeat 1 d) k) (Zcube d)
     = (a + b) ^ Z.of_nat d * (Z.of_nat d * (a - b))
  /\ (a + b) ^ 2 * ZSum (fun k => bias a b k * Zscore d (repeat 1 d) k ^ 2) (Zcube d)
     = (a + b) ^ Z.of_nat d
       * (Z.of_nat d * (a + b) ^ 2 + Z.of_nat d * (Z.of_nat d - 1) * (a - b) ^ 2).
Proof.
  assert (L : forall c (f g : list Z -> Z) l,
    ZSum (fun k => c * f k + g k) l = c * ZSum f l + ZSum g l).
  { intros c f g l. rewrite ZSum_plus, ZSum_scal. easy. }
  induction d as [|d [I0 [I1 I2]]].
  - unfold ZSum; cbn -[Z.mul Z.add Z.pow Z.sub]. split; [|split]; ring_simplify; easy.
  - rewrite Nat2Z.inj_succ, Z.pow_succ_r by lia. unfold Z.succ.
    set (n := Z.of_nat d) in *. set (W := (a + b) ^ n) in *.
    set (q := repeat 1 d) in *. cbn [repeat]. fold q.
    rewrite !ZSum_cube_S.
    assert (E0 : ZSum (fun k => bias a b (1 :: k) + bias a b (-1 :: k)) (Zcube d)
                 = (a + b) * ZSum (bias a b) (Zcube d)).
    { rewrite <- ZSum_scal. apply ZSum_ext. intros k _. cbn.
      change (a * bias a b k + b * bias a b k = (a + b) * bias a b k).
      ring. }
    assert (E1 : forall g : Z -> Z,
      ZSum (fun k => bias a b (1 :: k) * g (Zscore (S d) (1 :: q) (1 :: k))
                     + bias a b (-1 :: k) * g (Zscore (S d) (1 :: q) (-1 :: k))) (Zcube d)
      = ZSum (fun k => bias a b k * (a * g (1 + Zscore d q k) + b * g (-1 + Zscore d q k))) (Zcube d)).
    { intros g. apply ZSum_ext. intros k _. rewrite !Zscore_cons.
      change (bias a b (1 :: k)) with (a * bias a b k).
      change (bias a b (-1 :: k)) with (b * bias a b k).
      replace (1 * -1) with (-1) by easy. replace (1 * 1) with 1 by easy. ring. }
    split; [|split].
    + rewrite E0, I0. ring.
    + pose proof (E1 (fun e => e)) as E. cbv beta in E.
      rewrite E, (ZSum_ext _ (fun k => (a + b) * (bias a b k * Zscore d q k) + (a - b) * bias a b k)
        (Zcube d)) by (intros; ring).
      rewrite L, (ZSum_scal (a - b) (bias a b)), I0.
      set (X := ZSum (fun k => bias a b k * Zscore d q k) _) in *.
      transitivity ((a + b) * ((a + b) * X) + (a + b) * (a - b) * W); [ring|].
      rewrite I1. ring.
    + pose proof (E1 (fun e => e ^ 2)) as E. cbv beta in E. rewrite E.
      rewrite (ZSum_ext _ (fun k => (a + b) * (bias a b k * Zscore d q k ^ 2)
         + (2 * (a - b) * (bias a b k * Zscore d q k) + (a + b) * bias a b k)) (Zcube d))
         by (intros; ring).
      rewrite !L, (ZSum_scal (a + b) (bias a b)), I0.
      set (X := ZSum (fun k => bias a b k * Zscore d q k) _) in *.
      set (Y := ZSum (fun k => bias a b k * Zscore d q k ^ 2) _) in *.
      transitivity ((a + b) * ((a + b) ^ 2 * Y) + 2 * (a + b) * (a - b) * ((a + b) * X)
                    + (a + b) ^ 3 * W); [ring|].
      rewrite I2, I1. ring.
Qed.
