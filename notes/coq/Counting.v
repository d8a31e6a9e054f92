(** Counting.v -- a score grows with the root of the width: the counting, for every d.

    For any [Numbers] and any fixed query q, over all keys k in {-1,1}^d.
    No axioms. *)
From Coq Require Import List Ring Permutation FinFun Lia.
From Sqrtdk Require Import Sums.
Import ListNotations.

(** * Definitions *)

(** {-1,1}^d, as a list of 2^d vectors. *)
Fixpoint cube {C : Numbers} (d : nat) : list (list C) :=
  match d with
  | O => [[]]
  | S d' => map (cons one) (cube d') ++ map (cons (opp one)) (cube d')
  end.

Definition sign {C : Numbers} (x : C) : Prop := x = one \/ x = opp one.

(** The r-th coordinate. *)
Definition at_ {C : Numbers} (k : list C) (r : nat) : C := nth r k zero.

(** k with the sign of its r-th coordinate changed and nothing else. *)
Fixpoint flip {C : Numbers} (r : nat) (k : list C) : list C :=
  match k, r with
  | [], _ => []
  | x :: k', O => opp x :: k'
  | x :: k', S r' => x :: flip r' k'
  end.

(** t_r = q_r k_r *)
Definition term {C : Numbers} (q k : list C) (r : nat) : C := mul (at_ q r) (at_ k r).

(** e = q.k = Sum_r q_r k_r *)
Definition score {C : Numbers} (d : nat) (q k : list C) : C := Sum (term q k) (seq 0 d).

(** |q|^2 = Sum_r q_r^2, which is d when q is a vector of signs. *)
Definition norm2 {C : Numbers} (d : nat) (q : list C) : C :=
  Sum (fun r => mul (at_ q r) (at_ q r)) (seq 0 d).

(** The weighted sum of f over a finite list of outcomes; E[f] when the weights add to 1. *)
Definition weighted {C : Numbers} {A : Type} (outcomes : list A) (w : A -> C) (f : A -> C) : C :=
  Sum (fun x => mul (w x) (f x)) outcomes.

Section Counting.

Variable C : Numbers.
Add Ring C_ring : (laws C).
Local Open Scope numbers_scope.

(** * The cube is what it should be *)

(** [cube d] lists exactly the members of {-1,1}^d ... *)
Theorem cube_members d (k : list C) : In k (cube d) <-> length k = d /\ Forall sign k.
Proof.
  revert k. induction d as [|d IH]; intros k; simpl.
  - split; [intros [<-|[]]; auto|]. intros [H _]. destruct k; [auto|discriminate].
  - rewrite in_app_iff, !in_map_iff. split.
    + intros [[k' [<- H]]|[k' [<- H]]]; apply IH in H as [<- H]; unfold sign in *; simpl; auto.
    + intros [L F]. destruct k as [|x k]; [discriminate|].
      inversion F as [|? ? [->| ->] F']; [left|right]; exists k; rewrite IH; auto.
Qed.

Lemma length_map' {A B} (f : A -> B) l : length (map f l) = length l.
Proof. induction l; simpl; congruence. Qed.

Lemma length_app' {A} (l m : list A) : length (l ++ m) = (length l + length m)%nat.
Proof. induction l; simpl; congruence. Qed.

Lemma length_seq' d : forall start, length (seq start d) = d.
Proof. induction d; simpl; congruence. Qed.

(** ... there are 2^d of them ... *)
Theorem cube_length d : length (@cube C d) = Nat.pow 2 d.
Proof. induction d; simpl; rewrite ?length_app', ?length_map'; lia. Qed.

(** ... each once. *)
Theorem cube_NoDup d : NoDup (@cube C d).
Proof.
  induction d as [|d IH]; simpl; [repeat constructor; easy|].
  assert (M : forall a : C, NoDup (map (cons a) (cube d))).
  { intros a. apply Injective_map_NoDup; [intros x y; congruence|exact IH]. }
  assert (App : forall l m : list (list C), NoDup l -> NoDup m ->
                (forall x, In x l -> ~ In x m) -> NoDup (l ++ m)).
  { induction l as [|a l IHl]; simpl; intros m Hl Hm D; [easy|].
    inversion Hl; subst. constructor; [|apply IHl; auto].
    rewrite in_app_iff. intros [H|H]; [easy|]. apply (D a); auto. }
  apply App; auto. intros x Hx Hy.
  apply in_map_iff in Hx as [y [<- _]]. apply in_map_iff in Hy as [z [E _]].
  injection E as E _. apply (one_is_not_zero C), halve. rewrite <- E at 1. ring.
Qed.

Lemma at_sign d (k : list C) r : In k (cube d) -> (r < d)%nat -> sign (at_ k r).
Proof.
  rewrite cube_members. intros [L F] H. rewrite Forall_forall in F.
  apply F, nth_In. lia.
Qed.

(** * Terms and squares *)

Lemma sign_square (x : C) : sign x -> x * x = 1.
Proof. intros [->| ->]; ring. Qed.

(** claim term-sign: each t_r is +1 or -1, and its square is 1
      t_r^2 = 1 *)
Theorem term_sign d (q k : list C) r : In q (cube d) -> In k (cube d) -> (r < d)%nat ->
  (term q k r = 1 \/ term q k r = - (1)) /\ term q k r * term q k r = 1.
Proof.
  intros Hq Hk Hr. unfold term.
  destruct (at_sign d q r Hq Hr) as [->| ->], (at_sign d k r Hk Hr) as [->| ->];
    (split; [|ring]); [left|right|right|left]; ring.
Qed.

(** claim square-split: squaring separates the diagonal from the rest
      e^2 = Sum_r t_r^2 + Sum_{r<>s} t_r t_s = d + Sum_{r<>s} t_r t_s *)
Theorem square_split d (q k : list C) : In q (cube d) -> In k (cube d) ->
  score d q k * score d q k
    = Sum (fun r => term q k r * term q k r) (seq 0 d)
      + Sum_neq d (fun r s => term q k r * term q k s)
  /\ score d q k * score d q k
    = of_nat d + Sum_neq d (fun r s => term q k r * term q k s).
Proof.
  intros Hq Hk. unfold score. split; [apply square_of_sum|].
  rewrite square_of_sum. f_equal.
  rewrite (Sum_ext C _ (fun _ => 1)), Sum_one.
  - f_equal. apply length_seq'.
  - intros r Hr. apply in_seq in Hr. apply (term_sign d); auto. lia.
Qed.

(** * The pairing *)

(** claim pairing, the lemma: [sigma] keeps the finite list [S], undoes itself there and
    changes the sign of [f].  Then [f] adds to 0 over [S].  (A fixed point x would
    have f x = - f x, hence f x = 0: it does no harm.) *)
Theorem pairing {A} (S : list A) (sigma : A -> A) (f : A -> C) :
  NoDup S ->
  (forall x, In x S -> In (sigma x) S) ->
  (forall x, In x S -> sigma (sigma x) = x) ->
  (forall x, In x S -> f (sigma x) = - f x) ->
  Sum f S = 0.
Proof.
  intros ND stay undo flips.
  assert (P : Permutation (map sigma S) S).
  { apply NoDup_Permutation; [|exact ND|].
    - apply (NoDup_map_inv sigma). rewrite map_map.
      rewrite (map_ext_in _ id S undo), map_id. exact ND.
    - intros x. rewrite in_map_iff. split.
      + intros [y [<- Hy]]. auto.
      + intros Hx. exists (sigma x). auto. }
  apply halve. rewrite <- (Sum_perm C f _ _ P) at 1.
  rewrite Sum_map, (Sum_ext C _ (fun x => - f x) S flips), Sum_opp. ring.
Qed.

Lemma flip_flip r (k : list C) : flip r (flip r k) = k.
Proof. revert r. induction k as [|x k IH]; intros [|r]; simpl; f_equal; try easy. ring. Qed.

Lemma at_flip r (k : list C) : at_ (flip r k) r = - at_ k r.
Proof. unfold at_. revert r. induction k as [|x k IH]; intros [|r]; simpl; try easy; ring. Qed.

Lemma at_flip_other r s (k : list C) : r <> s -> at_ (flip r k) s = at_ k s.
Proof.
  unfold at_. revert r s. induction k as [|x k IH]; intros [|r] [|s] H; simpl; try easy; auto.
Qed.

Lemma flip_cube d r (k : list C) : In k (cube d) -> In (flip r k) (cube d).
Proof.
  rewrite !cube_members. intros [<- F]. split; [clear F|]; revert r; induction k as [|x k IH];
    intros [|r]; simpl; auto; inversion F as [|? ? S F']; subst; constructor; auto.
  destruct S as [->| ->]; [right|left]; ring.
Qed.

(** claim pairing, the matching: changing the sign of k_r matches the 2^d vectors perfectly
    into 2^(d-1) pairs.  Every vector has one partner, whose partner it is, and never itself;
    and a list of 2^(d-1) vectors, with their partners, is the whole cube. *)
Theorem perfect_matching d r : (r < d)%nat ->
  (forall k : list C, In k (cube d) ->
     In (flip r k) (cube d) /\ flip r (flip r k) = k /\ flip r k <> k)
  /\ (exists half : list (list C), length half = Nat.pow 2 (d - 1)
     /\ Permutation (half ++ map (flip r) half) (cube d)).
Proof.
  intros Hr. split.
  - intros k Hk. split; [apply flip_cube, Hk|]. split; [apply flip_flip|]. intros E.
    assert (Z : at_ k r + at_ k r = 0).
    { rewrite <- E at 1. rewrite at_flip. ring. }
    apply halve in Z. apply (one_is_not_zero C).
    rewrite <- (sign_square _ (at_sign d k r Hk Hr)), Z. ring.
  - revert r Hr. induction d as [|d IH]; intros r Hr; [lia|].
    replace (S d - 1)%nat with d by lia. destruct r as [|r]; simpl.
    + exists (map (cons 1) (cube d)). rewrite length_map', cube_length. split; [easy|].
      rewrite map_map. apply Permutation_refl.
    + destruct (IH r ltac:(lia)) as [half [L P]].
      exists (map (cons 1) half ++ map (cons (- (1))) half). split.
      * rewrite length_app', !length_map', L. destruct d; [lia|]. simpl.
        rewrite PeanoNat.Nat.sub_0_r. lia.
      * rewrite map_app, !map_map. simpl.
        rewrite <- !(map_map (flip r) (cons _)), <- app_assoc.
        rewrite <- (Permutation_map (cons 1) P), <- (Permutation_map (cons (- (1))) P), !map_app.
        rewrite <- app_assoc. apply Permutation_app_head. rewrite !app_assoc.
        apply Permutation_app_tail, Permutation_app_comm.
Qed.

(** claim pairing: inside a pair the two values of t_r t_s are opposite, so over the cube
      Sum_k t_r t_s = 0, that is E[t_r t_s] = 0, for r <> s *)
Theorem cross_terms d (q : list C) r s : r <> s ->
  (forall k, term q (flip r k) r * term q (flip r k) s = - (term q k r * term q k s))
  /\ Sum (fun k => term q k r * term q k s) (cube d) = 0.
Proof.
  intros D.
  assert (F : forall k, term q (flip r k) r * term q (flip r k) s = - (term q k r * term q k s)).
  { intros k. unfold term. rewrite at_flip, at_flip_other by easy. ring. }
  split; [exact F|].
  apply (pairing _ (flip r)); intros; [apply cube_NoDup|apply flip_cube; easy|apply flip_flip|apply F].
Qed.

(** * Averages over every key *)

(** claim mean: the same pairing, once per summand
      Sum_k e = 0, that is E[e] = 0 *)
Theorem sum_score d (q : list C) : Sum (score d q) (cube d) = 0.
Proof.
  unfold score. rewrite Sum_swap. apply Sum_zero. intros r _.
  apply (pairing _ (flip r)); intros; [apply cube_NoDup|apply flip_cube; easy|apply flip_flip|].
  unfold term. rewrite at_flip. ring.
Qed.

Lemma Sum_neq_zero d (g : nat -> nat -> C) :
  (forall r s, (r < d)%nat -> (s < d)%nat -> r <> s -> g r s = 0) -> Sum_neq d g = 0.
Proof.
  intros H. apply Sum_zero. intros r Hr. apply Sum_zero. intros s Hs.
  apply in_seq in Hr, Hs. destruct (PeanoNat.Nat.eqb_spec r s); [easy|]. apply H; lia.
Qed.

Lemma Sum_Sum_neq {A} d (g : A -> nat -> nat -> C) l :
  Sum (fun x => Sum_neq d (g x)) l = Sum_neq d (fun r s => Sum (fun x => g x r s) l).
Proof.
  unfold Sum_neq. rewrite Sum_swap. apply Sum_ext. intros r _.
  rewrite Sum_swap. apply Sum_ext. intros s _.
  destruct (PeanoNat.Nat.eqb r s); [apply Sum_zero|]; easy.
Qed.

(** When different terms do not meet on average, the second moment is that of the diagonal:
      E[t_r t_s] = 0 for r <> s  implies  E[e^2] = Sum_r E[t_r^2] *)
Theorem only_the_diagonal {A} (outcomes : list A) (w : A -> C) d (t : nat -> A -> C) :
  (forall r s, (r < d)%nat -> (s < d)%nat -> r <> s -> weighted outcomes w (fun x => t r x * t s x) = 0) ->
  weighted outcomes w (fun x => Sum (fun r => t r x) (seq 0 d) * Sum (fun r => t r x) (seq 0 d))
  = Sum (fun r => weighted outcomes w (fun x => t r x * t r x)) (seq 0 d).
Proof.
  intros H. unfold weighted.
  transitivity (Sum (fun x => Sum (fun r => w x * (t r x * t r x)) (seq 0 d)
                              + Sum_neq d (fun r s => w x * (t r x * t s x))) outcomes).
  - apply Sum_ext. intros x _. rewrite square_of_sum, Sum_scal.
    transitivity (w x * Sum (fun r => t r x * t r x) (seq 0 d)
                  + w x * Sum_neq d (fun r s => t r x * t s x)); [ring|]. f_equal.
    unfold Sum_neq. rewrite <- Sum_scal. apply Sum_ext. intros r _.
    rewrite <- Sum_scal. apply Sum_ext. intros s _.
    destruct (PeanoNat.Nat.eqb r s); ring.
  - rewrite Sum_plus, Sum_Sum_neq, Sum_neq_zero by exact H. rewrite Sum_swap. ring.
Qed.

(** claim two-properties: two properties do all the work, for any finite weighted list of outcomes
      E[t_r t_s] = 0 for r <> s, and E[t_r^2] = 1, imply E[e^2] = d *)
Theorem two_properties {A} (outcomes : list A) (w : A -> C) d (t : nat -> A -> C) :
  (forall r s, (r < d)%nat -> (s < d)%nat -> r <> s -> weighted outcomes w (fun x => t r x * t s x) = 0) ->
  (forall r, (r < d)%nat -> weighted outcomes w (fun x => t r x * t r x) = 1) ->
  weighted outcomes w (fun x => Sum (fun r => t r x) (seq 0 d) * Sum (fun r => t r x) (seq 0 d))
  = of_nat d.
Proof.
  intros H1 H2. rewrite only_the_diagonal by exact H1.
  rewrite (Sum_ext C _ (fun _ => 1)), Sum_one.
  - f_equal. apply length_seq'.
  - intros r Hr. apply H2. apply in_seq in Hr. lia.
Qed.

(** claim second-moment: only the diagonal survives
      Sum_k e^2 = 2^d |q|^2, for any query q *)
Theorem sum_score2 d (q : list C) :
  Sum (fun k => score d q k * score d q k) (cube d) = of_nat (Nat.pow 2 d) * norm2 d q.
Proof.
  transitivity (weighted (cube d) (fun _ => 1) (fun k => score d q k * score d q k)).
  { apply Sum_ext. intros. ring. }
  etransitivity; [apply (only_the_diagonal (cube d) (fun _ => 1) d (fun r k => term q k r))|].
  2:{ unfold norm2. rewrite <- Sum_scal. apply Sum_ext. intros r Hr. unfold weighted.
    apply in_seq in Hr. rewrite <- (cube_length d), <- Sum_one.
    transitivity (at_ q r * at_ q r * Sum (fun _ => @one C) (@cube C d)); [|ring].
    rewrite <- Sum_scal. apply Sum_ext. intros k Hk. unfold term.
    transitivity (at_ q r * at_ q r * (at_ k r * at_ k r)); [ring|].
    rewrite (sign_square (at_ k r)); [ring|]. apply (at_sign d); [easy|lia]. }
  - intros r s _ _ D. unfold weighted. etransitivity; [|apply (proj2 (cross_terms d q r s D))].
    apply Sum_ext. intros. ring.
Qed.

Lemma norm2_signs d (q : list C) : In q (cube d) -> norm2 d q = of_nat d.
Proof.
  intros H. unfold norm2. rewrite (Sum_ext C _ (fun _ => 1)), Sum_one.
  - f_equal. apply length_seq'.
  - intros r Hr. apply sign_square, (at_sign d); [easy|]. apply in_seq in Hr. lia.
Qed.

End Counting.
