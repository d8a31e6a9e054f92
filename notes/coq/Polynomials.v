(** Polynomials.v -- a polynomial of degree at most m that vanishes at m + 1 naturals is zero.

    A polynomial is the list of its coefficients, lowest first, so degree at most m
    reads length <= m + 1.  Integer coefficients; a rational polynomial is one of these
    over a common denominator.  No axioms. *)
From Coq Require Import List ZArith Lia FinFun.
Import ListNotations.
Open Scope Z_scope.

(** * Definition *)

(** c_0 + c_1 x + c_2 x^2 + ... *)
Fixpoint eval (p : list Z) (x : Z) : Z :=
  match p with
  | [] => 0
  | c :: p' => c + x * eval p' x
  end.

(** * Roots *)

(** p(x) - p(a) = (x - a) q(x), with q one degree lower. *)
Lemma divide p a : exists q, (length q <= length p - 1)%nat /\
  forall x, eval p x - eval p a = (x - a) * eval q x.
Proof.
  induction p as [|c [|c' p] IH].
  - exists []. split; [easy|]. intros; simpl; ring.
  - exists []. split; [easy|]. intros; simpl; ring.
  - destruct IH as [q [L E]]. exists (eval (c' :: p) a :: q). split; [simpl in *; lia|].
    intros x. change (eval (c :: c' :: p) x) with (c + x * eval (c' :: p) x).
    change (eval (c :: c' :: p) a) with (c + a * eval (c' :: p) a).
    change (eval (eval (c' :: p) a :: q) x) with (eval (c' :: p) a + x * eval q x).
    transitivity ((x - a) * eval (c' :: p) a + x * (eval (c' :: p) x - eval (c' :: p) a)); [ring|].
    rewrite E. ring.
Qed.

Lemma few_roots xs : forall p, NoDup xs -> (length p <= length xs)%nat ->
  (forall x, In x xs -> eval p x = 0) -> forall x, eval p x = 0.
Proof.
  induction xs as [|a xs IH]; intros p ND L Z x.
  - destruct p; [easy|simpl in L; lia].
  - inversion ND as [|? ? Ha ND']; subst. destruct (divide p a) as [q [Lq E]].
    assert (Q : forall y, eval q y = 0).
    { apply IH; [easy|simpl in L; lia|]. intros y Hy. specialize (E y).
      rewrite (Z y), (Z a) in E by (simpl; auto).
      assert (y <> a) by (intros ->; easy). nia. }
    specialize (E x). rewrite Q, (Z a) in E by (simpl; auto). lia.
Qed.

Lemma naturals_NoDup ns : NoDup ns -> NoDup (map Z.of_nat ns).
Proof. apply Injective_map_NoDup. intros x y. apply Nat2Z.inj. Qed.

Lemma length_naturals ns : length (map Z.of_nat ns) = length ns.
Proof. induction ns; simpl; congruence. Qed.

(** claim small-widths, the lemma: degree <= m and zero at m + 1 different naturals, hence zero
    everywhere, and every coefficient is 0 *)
Theorem polynomial_zero m p (naturals : list nat) :
  (length p <= S m)%nat -> NoDup naturals -> length naturals = S m ->
  (forall n, In n naturals -> eval p (Z.of_nat n) = 0) ->
  (forall x, eval p x = 0) /\ Forall (fun c => c = 0) p.
Proof.
  intros L ND Ln Z.
  assert (A : forall x, eval p x = 0).
  { apply (few_roots (map Z.of_nat naturals)).
    - apply naturals_NoDup, ND.
    - rewrite length_naturals. lia.
    - intros x Hx. apply in_map_iff in Hx as [n [<- Hn]]. auto. }
  split; [exact A|]. clear - A.
  induction p as [|c p IH]; constructor.
  - specialize (A 0). simpl in A. lia.
  - apply IH. pose proof (A 0) as A0. simpl in A0.
    apply (few_roots (map Z.of_nat (seq 1 (length p)))).
    + apply naturals_NoDup, seq_NoDup.
    + rewrite length_naturals. clear. generalize 1%nat. induction p; intros; simpl; [lia|].
      apply le_n_S, IHp.
    + intros x Hx. apply in_map_iff in Hx as [n [<- Hn]]. apply in_seq in Hn.
      specialize (A (Z.of_nat n)). simpl in A. nia.
Qed.

(** * Sums of polynomials *)

Fixpoint plus (p q : list Z) : list Z :=
  match p, q with
  | [], _ => q
  | _, [] => p
  | a :: p', b :: q' => a + b :: plus p' q'
  end.

Definition scale (c : Z) (p : list Z) : list Z := map (Z.mul c) p.

Lemma eval_plus p q x : eval (plus p q) x = eval p x + eval q x.
Proof. revert q. induction p as [|a p IH]; intros [|b q]; simpl; try ring. rewrite IH. ring. Qed.

Lemma eval_scale c p x : eval (scale c p) x = c * eval p x.
Proof. induction p as [|a p IH]; simpl; [ring|]. rewrite IH. ring. Qed.

Lemma length_plus n p q : (length p <= n)%nat -> (length q <= n)%nat -> (length (plus p q) <= n)%nat.
Proof.
  revert n q. induction p as [|a p IH]; intros [|n] [|b q]; simpl; try lia.
  intros. apply le_n_S, IH; lia.
Qed.

Lemma length_scale c p : length (scale c p) = length p.
Proof. induction p; simpl; congruence. Qed.

(** The polynomial c x^n. *)
Fixpoint monomial (c : Z) (n : nat) : list Z :=
  match n with
  | O => [c]
  | S n' => 0 :: monomial c n'
  end.

Lemma eval_monomial c n x : eval (monomial c n) x = c * x ^ Z.of_nat n.
Proof.
  induction n as [|n IH]; simpl eval; [simpl; ring|].
  rewrite IH, Nat2Z.inj_succ, Z.pow_succ_r by lia. ring.
Qed.

Lemma length_monomial c n : length (monomial c n) = S n.
Proof. induction n; simpl; congruence. Qed.
