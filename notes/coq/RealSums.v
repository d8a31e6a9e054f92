(** RealSums.v -- the real numbers as [Numbers], and their finite sums.

    Axioms, here and in every file that imports this one: those of Coq's real numbers. *)
From Coq Require Import List Reals Lra Lia.
From Sqrtdk Require Import Sums.
Import ListNotations.
Open Scope R_scope.

(** * Definitions *)

Lemma R_laws : ring_theory 0 1 Rplus Rmult Rminus Ropp (@eq R).
Proof. constructor; intros; ring. Qed.

Lemma R_halve x : x + x = 0 -> x = 0. Proof. lra. Qed.

Definition reals : Numbers := {|
  carrier := R; zero := 0; one := 1; add := Rplus; mul := Rmult; sub := Rminus; opp := Ropp;
  laws := R_laws; one_is_not_zero := R1_neq_R0; halve := R_halve |}.

Definition RSum {A : Type} (f : A -> R) (l : list A) : R := @Sum reals A f l.

(** The positions 0, ..., T-1 of a sentence, or the coordinates of a vector. *)
Definition idx (T : nat) : list nat := seq 0 T.

(** 1 when i = j, else 0. *)
Definition delta (i j : nat) : R := if Nat.eqb i j then 1 else 0.

(** * Laws *)

Lemma RSum_nil {A} (f : A -> R) : RSum f [] = 0. Proof. easy. Qed.
Lemma RSum_cons {A} (f : A -> R) x l : RSum f (x :: l) = f x + RSum f l. Proof. easy. Qed.

Lemma RSum_ext {A} (f g : A -> R) l : (forall x, In x l -> f x = g x) -> RSum f l = RSum g l.
Proof. exact (Sum_ext reals f g l). Qed.

Lemma RSum_plus {A} (f g : A -> R) l : RSum (fun x => f x + g x) l = RSum f l + RSum g l.
Proof. exact (Sum_plus reals f g l). Qed.

Lemma RSum_scal {A} c (f : A -> R) l : RSum (fun x => c * f x) l = c * RSum f l.
Proof. exact (Sum_scal reals c f l). Qed.

Lemma RSum_minus {A} (f g : A -> R) l : RSum (fun x => f x - g x) l = RSum f l - RSum g l.
Proof.
  transitivity (RSum (fun x => f x + -1 * g x) l); [apply RSum_ext; intros; ring|].
  rewrite RSum_plus, RSum_scal. ring.
Qed.

Lemma RSum_swap {A B} (f : A -> B -> R) l m :
  RSum (fun x => RSum (f x) m) l = RSum (fun y => RSum (fun x => f x y) l) m.
Proof. exact (Sum_swap reals f l m). Qed.

Lemma RSum_const {A} c (l : list A) : RSum (fun _ => c) l = INR (length l) * c.
Proof.
  induction l as [|a l IH]; [simpl; rewrite RSum_nil; ring|].
  rewrite RSum_cons, IH. cbn [length]. rewrite S_INR. ring.
Qed.

Lemma R_of_nat n : @of_nat reals n = INR n.
Proof.
  induction n as [|n IH]; [easy|]. cbn [of_nat]. rewrite IH, S_INR.
  change (1 + INR n = INR n + 1). ring.
Qed.

Lemma RSum_le {A} (f g : A -> R) l : (forall x, In x l -> f x <= g x) -> RSum f l <= RSum g l.
Proof.
  induction l as [|a l IH]; intros H; [right; easy|]. rewrite !RSum_cons.
  apply Rplus_le_compat; [apply H; left; easy|]. apply IH. intros; apply H; right; easy.
Qed.

Lemma RSum_nonneg {A} (f : A -> R) l : (forall x, In x l -> 0 <= f x) -> 0 <= RSum f l.
Proof.
  intros H. pose proof (RSum_le (fun _ => 0) f l H) as L. rewrite RSum_const in L. lra.
Qed.

(** One term of a sum of terms >= 0 is at most the sum. *)
Lemma RSum_one_le {A} (f : A -> R) l x : (forall y, In y l -> 0 <= f y) -> In x l -> f x <= RSum f l.
Proof.
  induction l as [|a l IH]; intros H I; [easy|]. rewrite RSum_cons. destruct I as [->|I].
  - pose proof (RSum_nonneg f l ltac:(intros; apply H; right; easy)). lra.
  - pose proof (H a ltac:(left; easy)). pose proof (IH ltac:(intros; apply H; right; easy) I). lra.
Qed.

(** So are two different ones. *)
Lemma RSum_two_le {A} (f : A -> R) l x y :
  (forall z, In z l -> 0 <= f z) -> In x l -> In y l -> x <> y -> f x + f y <= RSum f l.
Proof.
  induction l as [|a l IH]; intros H Ix Iy N; [easy|]. rewrite RSum_cons.
  assert (P : forall z, In z l -> 0 <= f z) by (intros; apply H; right; easy).
  destruct Ix as [->|Ix], Iy as [->|Iy]; [easy| | |].
  - pose proof (RSum_one_le f l y P Iy). lra.
  - pose proof (RSum_one_le f l x P Ix). lra.
  - pose proof (H a ltac:(left; easy)). pose proof (IH P Ix Iy N). lra.
Qed.

Lemma Rabs_RSum {A} (f : A -> R) l : Rabs (RSum f l) <= RSum (fun x => Rabs (f x)) l.
Proof.
  induction l as [|a l IH]; [rewrite !RSum_nil, Rabs_R0; lra|]. rewrite !RSum_cons.
  pose proof (Rabs_triang (f a) (RSum f l)). lra.
Qed.

Lemma in_idx j T : In j (idx T) <-> (j < T)%nat.
Proof. unfold idx. rewrite in_seq. lia. Qed.

Lemma length_idx T : length (idx T) = T.
Proof. unfold idx. generalize 0%nat. induction T; intros; simpl; congruence. Qed.

Lemma delta_sym i j : delta i j = delta j i.
Proof. unfold delta. rewrite Nat.eqb_sym. easy. Qed.

Lemma RSum_delta (c : nat -> R) j T : (j < T)%nat -> RSum (fun m => delta m j * c m) (idx T) = c j.
Proof.
  intros H. apply in_idx in H.
  assert (G : forall l, NoDup l -> RSum (fun m => delta m j * c m) l
                 = if in_dec Nat.eq_dec j l then c j else 0).
  { unfold delta. induction l as [|a l IH]; intros ND; [easy|]. inversion ND; subst.
    rewrite RSum_cons, IH by easy. destruct (Nat.eqb_spec a j) as [->|N].
    - destruct (in_dec _ j l); [easy|]. destruct (in_dec _ j (j :: l)) as [_|F]; [ring|].
      destruct F. left. easy.
    - destruct (in_dec _ j l), (in_dec _ j (a :: l)) as [I|I]; simpl in I; try ring; intuition. }
  rewrite G by apply seq_NoDup. destruct (in_dec _ j (idx T)); easy.
Qed.

(** * Limits and derivatives of finite sums *)

Lemma Un_cv_def (u : nat -> R) l :
  Un_cv u l <-> forall eps, eps > 0 -> exists N, forall n, (n >= N)%nat -> Rabs (u n - l) < eps.
Proof. split; intros H; exact H. Qed.

Lemma Un_cv_const c : Un_cv (fun _ => c) c.
Proof.
  apply Un_cv_def. intros eps P. exists O. intros. rewrite Rminus_diag_eq, Rabs_R0; easy.
Qed.

(** A sequence below one that tends to 0 tends to 0. *)
Lemma Un_cv_squeeze (u v : nat -> R) : (forall n, Rabs (u n) <= v n) -> Un_cv v 0 -> Un_cv u 0.
Proof.
  rewrite !Un_cv_def. intros B V eps P. destruct (V eps P) as [N HN]. exists N.
  intros n Hn. specialize (HN n Hn).
  rewrite Rminus_0_r in *. pose proof (B n). pose proof (Rle_abs (v n)). lra.
Qed.

Lemma Un_cv_eq (u v : nat -> R) l : (forall n, u n = v n) -> Un_cv u l -> Un_cv v l.
Proof.
  rewrite !Un_cv_def. intros E U eps P. destruct (U eps P) as [N HN]. exists N.
  intros n Hn. rewrite <- E. auto.
Qed.

Lemma Un_cv_RSum {A} (u : nat -> A -> R) (v : A -> R) l :
  (forall x, In x l -> Un_cv (fun n => u n x) (v x)) -> Un_cv (fun n => RSum (u n) l) (RSum v l).
Proof.
  induction l as [|a l IH]; intros H; [exact (Un_cv_const 0)|].
  apply (CV_plus (fun n => u n a) (fun n => RSum (u n) l)); [apply H; left; easy|].
  apply IH. intros; apply H; right; easy.
Qed.

Lemma derivable_RSum {A} (f : A -> R -> R) (f' : A -> R) x l :
  (forall a, In a l -> derivable_pt_lim (f a) x (f' a)) ->
  derivable_pt_lim (fun u => RSum (fun a => f a u) l) x (RSum f' l).
Proof.
  induction l as [|a l IH]; intros H; [apply (derivable_pt_lim_const 0)|].
  apply (derivable_pt_lim_plus (f a) (fun u => RSum (fun a => f a u) l)); [apply H; left; easy|].
  apply IH. intros; apply H; right; easy.
Qed.
