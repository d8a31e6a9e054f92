(** Sums.v -- numbers and finite sums: what the counting half is written in.

    The counting half of the lesson holds for integer, rational and real queries
    alike.  So it is proved once, for [Numbers]: any commutative ring in which
    1 <> 0 and x + x = 0 forces x = 0.  No axioms. *)
From Coq Require Import List Ring Ring_theory Permutation Lia.
Import ListNotations.

(** * Numbers *)

Record Numbers := {
  carrier :> Type;
  zero : carrier;
  one : carrier;
  add : carrier -> carrier -> carrier;
  mul : carrier -> carrier -> carrier;
  sub : carrier -> carrier -> carrier;
  opp : carrier -> carrier;
  laws : ring_theory zero one add mul sub opp eq;
  one_is_not_zero : one <> zero;
  halve : forall x, add x x = zero -> x = zero
}.

Arguments zero {_}.
Arguments one {_}.
Arguments add {_}.
Arguments mul {_}.
Arguments sub {_}.
Arguments opp {_}.

Declare Scope numbers_scope.
Delimit Scope numbers_scope with num.
Notation "0" := zero : numbers_scope.
Notation "1" := one : numbers_scope.
Infix "+" := add : numbers_scope.
Infix "*" := mul : numbers_scope.
Infix "-" := sub : numbers_scope.
Notation "- x" := (opp x) : numbers_scope.

(** * Definitions *)

(** The sum of [f x] over the members x of a list. *)
Fixpoint Sum {C : Numbers} {A : Type} (f : A -> C) (l : list A) : C :=
  match l with
  | [] => zero
  | x :: l' => add (f x) (Sum f l')
  end.

(** A natural number as a number: 1 + 1 + ... + 1. *)
Fixpoint of_nat {C : Numbers} (n : nat) : C :=
  match n with
  | O => zero
  | S n' => add one (of_nat n')
  end.

(** x^m *)
Fixpoint nat_power {C : Numbers} (x : C) (m : nat) : C :=
  match m with
  | O => one
  | S m' => mul x (nat_power x m')
  end.

(** The sum over ordered pairs r <> s, both below d. *)
Definition Sum_neq {C : Numbers} (d : nat) (g : nat -> nat -> C) : C :=
  Sum (fun r => Sum (fun s => if Nat.eqb r s then zero else g r s) (seq 0 d)) (seq 0 d).

(** * Laws of finite sums *)

Section Sums.

Variable C : Numbers.
Add Ring C_ring : (laws C).
Local Open Scope numbers_scope.

Lemma Sum_app {A} (f : A -> C) l m : Sum f (l ++ m) = Sum f l + Sum f m.
Proof. induction l as [|a l IH]; simpl; [|rewrite IH]; ring. Qed.

Lemma Sum_map {A B} (f : B -> C) (g : A -> B) l : Sum f (map g l) = Sum (fun x => f (g x)) l.
Proof. induction l as [|a l IH]; simpl; [|rewrite IH]; ring. Qed.

Lemma Sum_ext {A} (f g : A -> C) l : (forall x, In x l -> f x = g x) -> Sum f l = Sum g l.
Proof.
  induction l as [|a l IH]; intros H; simpl; [easy|].
  rewrite (H a), IH; [easy| |left; easy]. intros; apply H; right; easy.
Qed.

Lemma Sum_zero {A} (f : A -> C) l : (forall x, In x l -> f x = 0) -> Sum f l = 0.
Proof.
  intros H. rewrite (Sum_ext f (fun _ => 0)) by exact H.
  clear H. induction l as [|a l IH]; simpl; [|rewrite IH]; ring.
Qed.

Lemma Sum_plus {A} (f g : A -> C) l : Sum (fun x => f x + g x) l = Sum f l + Sum g l.
Proof. induction l as [|a l IH]; simpl; [|rewrite IH]; ring. Qed.

Lemma Sum_scal {A} c (f : A -> C) l : Sum (fun x => c * f x) l = c * Sum f l.
Proof. induction l as [|a l IH]; simpl; [|rewrite IH]; ring. Qed.

Lemma Sum_opp {A} (f : A -> C) l : Sum (fun x => - f x) l = - Sum f l.
Proof. induction l as [|a l IH]; simpl; [|rewrite IH]; ring. Qed.

Lemma Sum_one {A} (l : list A) : Sum (fun _ => @one C) l = of_nat (length l).
Proof. induction l as [|a l IH]; simpl; [|rewrite IH]; easy. Qed.

Lemma Sum_swap {A B} (f : A -> B -> C) l m :
  Sum (fun x => Sum (f x) m) l = Sum (fun y => Sum (fun x => f x y) l) m.
Proof.
  induction l as [|a l IH]; simpl.
  - symmetry. apply Sum_zero. easy.
  - rewrite IH, <- Sum_plus. easy.
Qed.

Lemma Sum_perm {A} (f : A -> C) l m : Permutation l m -> Sum f l = Sum f m.
Proof.
  induction 1 as [|x l m _ IH|x y l|l m n _ IH _ IH']; simpl; [easy|rewrite IH; easy|ring|congruence].
Qed.

(** The first term apart from the rest. *)
Lemma Sum_first (f : nat -> C) d : Sum f (seq 0 (S d)) = f O + Sum (fun r => f (S r)) (seq 0 d).
Proof. cbn [seq Sum]. rewrite <- seq_shift, Sum_map. easy. Qed.

Lemma of_nat_add m n : @of_nat C (m + n) = of_nat m + of_nat n.
Proof. induction m as [|m IH]; simpl; [|rewrite IH]; ring. Qed.

Lemma of_nat_mul m n : @of_nat C (m * n) = of_nat m * of_nat n.
Proof. induction m as [|m IH]; simpl; [|rewrite of_nat_add, IH]; ring. Qed.

(** claim square-split, first half: the square of a sum of d terms
      (Sum_r t_r)^2 = Sum_r t_r^2 + Sum_{r<>s} t_r t_s *)
Theorem square_of_sum d (t : nat -> C) :
  Sum t (seq 0 d) * Sum t (seq 0 d)
  = Sum (fun r => t r * t r) (seq 0 d) + Sum_neq d (fun r s => t r * t s).
Proof.
  unfold Sum_neq. rewrite <- Sum_plus, <- Sum_scal. apply Sum_ext. intros r Hr.
  assert (G : forall l, NoDup l -> In r l ->
     Sum t l * t r = t r * t r + Sum (fun s => if Nat.eqb r s then 0 else t r * t s) l).
  { induction l as [|s l IH]; simpl; intros ND H; [easy|]. inversion ND; subst.
    destruct H as [->|H].
    - rewrite PeanoNat.Nat.eqb_refl.
      rewrite (Sum_ext (fun s => if Nat.eqb r s then 0 else t r * t s) (fun s => t r * t s)).
      + rewrite Sum_scal. ring.
      + intros s Hs. destruct (PeanoNat.Nat.eqb_spec r s); congruence.
    - destruct (PeanoNat.Nat.eqb_spec r s); [congruence|].
      transitivity (t r * t s + Sum t l * t r); [ring|]. rewrite IH by auto. ring. }
  apply G; [apply seq_NoDup|exact Hr].
Qed.

End Sums.
