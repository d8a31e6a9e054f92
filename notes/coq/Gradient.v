(** Gradient.v -- the way back through the softmax, and what dies with it.

    The loss L is any function of the T x T weights that has a gradient there: the
    derivatives below are true derivatives of the whole composition.
    Axioms: those of Coq's real numbers. *)
From Coq Require Import List Reals Lra Lia FunctionalExtensionality.
From Sqrtdk Require Import Sums RealSums Softmax Rows.
Import ListNotations.
Open Scope R_scope.

(** * Definitions *)

(** A matrix is a function of its cells (row, column). *)
Definition matrix : Type := nat * nat -> R.

(** The cells of an m x n matrix. *)
Definition cells (m n : nat) : list (nat * nat) := list_prod (idx m) (idx n).

(** x with its cell (i, j) replaced by u. *)
Definition put (x : matrix) (i j : nat) (u : R) : matrix :=
  fun c => if (Nat.eqb (fst c) i && Nat.eqb (snd c) j)%bool then u else x c.

(** g is the gradient of L at x, over the cells of a list: L y = L x + Sum_c g_c (y_c - x_c), up to
    an error that is small beside the distance. *)
Definition is_gradient (cs : list (nat * nat)) (L : matrix -> R) (x g : matrix) : Prop :=
  forall eps, 0 < eps -> exists r, 0 < r /\
  forall y : matrix, (forall c, In c cs -> Rabs (y c - x c) <= r) ->
  Rabs (L y - L x - RSum (fun c => g c * (y c - x c)) cs)
  <= eps * RSum (fun c => Rabs (y c - x c)) cs.

(** E = Q K^T / sqrt(d) *)
Definition scores (d : nat) (Q K : matrix) : matrix :=
  fun c => RSum (fun r => Q (fst c, r) * K (snd c, r)) (idx d) / sqrt (INR d).

(** A = softmax(E), row by row. *)
Definition weights (T : nat) (E : matrix) : matrix :=
  fun c => softmax T (fun l => E (fst c, l)) (snd c).

(** a_ij (G_ij - Sum_l a_il G_il) *)
Definition scores_gradient (T : nat) (A G : matrix) : matrix :=
  fun c => A c * (G c - RSum (fun l => A (fst c, l) * G (fst c, l)) (idx T)).

(** * Losses that have a gradient

    There are some: every linear loss, with its own coefficients. *)
Theorem linear_loss cs (g x : matrix) : is_gradient cs (fun y => RSum (fun c => g c * y c) cs) x g.
Proof.
  intros eps P. exists 1. split; [lra|]. intros y _.
  rewrite <- !RSum_minus, (RSum_ext _ (fun _ => 0)) by (intros; ring).
  rewrite RSum_const, Rmult_0_r, Rabs_R0. apply Rmult_le_pos; [lra|].
  apply RSum_nonneg. intros. apply Rabs_pos.
Qed.

(** * The chain rule *)

Lemma common_step {A} (y : A -> R -> R) (v : A -> R) t l :
  (forall c, In c l -> derivable_pt_lim (y c) t (v c)) ->
  exists delta, 0 < delta /\ forall h, h <> 0 -> Rabs h < delta ->
  forall c, In c l -> Rabs (y c (t + h) - y c t) <= (Rabs (v c) + 1) * Rabs h.
Proof.
  induction l as [|c l IH]; intros D.
  - exists 1. split; [lra|]. easy.
  - destruct IH as [d1 [P1 B1]]; [intros; apply D; right; easy|].
    destruct (D c (or_introl eq_refl) 1 Rlt_0_1) as [d2 B2]. pose proof (cond_pos d2) as P2.
    exists (Rmin d1 d2). split; [apply Rmin_pos; easy|]. intros h N H c' [<-|I].
    + specialize (B2 h N ltac:(pose proof (Rmin_r d1 d2); lra)).
      set (q := (y c (t + h) - y c t) / h) in *.
      replace (y c (t + h) - y c t) with (q * h) by (unfold q; field; easy).
      rewrite Rabs_mult. apply Rmult_le_compat_r; [apply Rabs_pos|].
      replace q with (v c + (q - v c)) by ring. pose proof (Rabs_triang (v c) (q - v c)). lra.
    + apply B1; try easy. pose proof (Rmin_l d1 d2). lra.
Qed.

Lemma chain_rule cs L (x g : matrix) (y : R -> matrix) (v : matrix) t :
  y t = x -> is_gradient cs L x g ->
  (forall c, In c cs -> derivable_pt_lim (fun u => y u c) t (v c)) ->
  derivable_pt_lim (fun u => L (y u)) t (RSum (fun c => g c * v c) cs).
Proof.
  intros <- G D.
  set (lin := fun u => RSum (fun c => g c * y u c) cs).
  assert (DL : derivable_pt_lim lin t (RSum (fun c => g c * v c) cs)).
  { apply (derivable_RSum (fun c u => g c * y u c)). intros c I.
    apply (derivable_pt_lim_scal (fun u => y u c)), D, I. }
  assert (DE : derivable_pt_lim (fun u => L (y u) - lin u) t 0).
  { intros eps P. set (K := RSum (fun c => Rabs (v c) + 1) cs).
    assert (PK : 0 <= K) by (apply RSum_nonneg; intros c _; pose proof (Rabs_pos (v c)); lra).
    destruct (G (eps / (K + 1))) as [r [Pr Br]]; [apply Rdiv_lt_0_compat; lra|].
    destruct (common_step (fun c u => y u c) v t cs D) as [d [Pd Bd]].
    assert (P2 : 0 < Rmin d (r / (K + 1))) by (apply Rmin_pos; [easy|apply Rdiv_lt_0_compat; lra]).
    exists (mkposreal _ P2). intros h N H. simpl in H.
    pose proof (Rmin_l d (r / (K + 1))). pose proof (Rmin_r d (r / (K + 1))).
    specialize (Bd h N ltac:(lra)). pose proof (Rabs_pos_lt h N) as Ph.
    assert (Hr : (K + 1) * Rabs h <= r).
    { apply (Rmult_le_reg_r (/ (K + 1))); [apply Rinv_0_lt_compat; lra|].
      replace ((K + 1) * Rabs h * / (K + 1)) with (Rabs h) by (field; lra).
      unfold Rdiv in *. lra. }
    specialize (Br (y (t + h))).
    assert (near : forall c, In c cs -> Rabs (y (t + h) c - y t c) <= r).
    { intros c I. apply Rle_trans with (1 := Bd c I). apply Rle_trans with (2 := Hr).
      apply Rmult_le_compat_r; [lra|].
      pose proof (RSum_one_le (fun c => Rabs (v c) + 1) cs c
        ltac:(intros z _; pose proof (Rabs_pos (v z)); lra) I) as O. fold K in O. lra. }
    specialize (Br near).
    assert (S : RSum (fun c => Rabs (y (t + h) c - y t c)) cs <= K * Rabs h).
    { rewrite Rmult_comm. unfold K. rewrite <- RSum_scal. apply RSum_le. intros c I.
      rewrite Rmult_comm. apply Bd, I. }
    replace ((L (y (t + h)) - lin (t + h) - (L (y t) - lin t)) / h - 0)
      with ((L (y (t + h)) - L (y t) - RSum (fun c => g c * (y (t + h) c - y t c)) cs) * / h).
    - rewrite Rabs_mult, Rabs_inv.
      apply (Rmult_lt_reg_r (Rabs h)); [easy|].
      rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
      apply Rle_lt_trans with (1 := Br).
      apply Rle_lt_trans with (eps / (K + 1) * (K * Rabs h)).
      + apply Rmult_le_compat_l; [left; apply Rdiv_lt_0_compat; lra|exact S].
      + replace (eps / (K + 1) * (K * Rabs h)) with (eps * Rabs h * (K / (K + 1))) by (field; lra).
        rewrite <- (Rmult_1_r (eps * Rabs h)) at 2. apply Rmult_lt_compat_l; [nra|].
        apply (Rmult_lt_reg_r (K + 1)); [lra|].
        replace (K / (K + 1) * (K + 1)) with K by (field; lra). lra.
    - unfold lin. rewrite (RSum_ext (fun c => g c * (y (t + h) c - y t c))
        (fun c => g c * y (t + h) c - g c * y t c)) by (intros; ring).
      rewrite RSum_minus. unfold Rdiv. ring. }
  pose proof (derivable_pt_lim_plus _ _ _ _ _ DE DL) as S. rewrite Rplus_0_l in S.
  apply (derivable_pt_lim_ext _ (fun u => L (y u))) in S; [exact S|].
  intros u. unfold plus_fct. ring.
Qed.

(** * Sums over cells *)

Lemma RSum_app {A} (f : A -> R) l m : RSum f (l ++ m) = RSum f l + RSum f m.
Proof. exact (Sum_app reals f l m). Qed.

Lemma RSum_map {A B} (f : B -> R) (g : A -> B) l : RSum f (map g l) = RSum (fun x => f (g x)) l.
Proof. exact (Sum_map reals f g l). Qed.

Lemma RSum_cells (f : matrix) m n :
  RSum f (cells m n) = RSum (fun i => RSum (fun j => f (i, j)) (idx n)) (idx m).
Proof.
  unfold cells. induction (idx m) as [|i l IH]; [easy|].
  cbn [list_prod]. rewrite RSum_app, RSum_map, RSum_cons, IH. easy.
Qed.

Lemma in_cells i j m n : In (i, j) (cells m n) -> (i < m)%nat /\ (j < n)%nat.
Proof. unfold cells. rewrite in_prod_iff, !in_idx. easy. Qed.

(** * The gradient of the scores *)

(** The loss moves at the rate Sum_ij (dL/dE)_ij E'_ij, whatever moves the scores. *)
Lemma gradient_along T L (E : R -> matrix) (E' G : matrix) t : (0 < T)%nat ->
  is_gradient (cells T T) L (weights T (E t)) G ->
  (forall c, derivable_pt_lim (fun u => E u c) t (E' c)) ->
  derivable_pt_lim (fun u => L (weights T (E u))) t
    (RSum (fun c => scores_gradient T (weights T (E t)) G c * E' c) (cells T T)).
Proof.
  intros H Grad D.
  set (A := weights T (E t)) in *.
  set (v := fun c : nat * nat => A c * (E' c - RSum (fun l => A (fst c, l) * E' (fst c, l)) (idx T))).
  assert (C := chain_rule (cells T T) L A G (fun u => weights T (E u)) v t eq_refl Grad).
  replace (RSum (fun c => scores_gradient T A G c * E' c) (cells T T))
    with (RSum (fun c => G c * v c) (cells T T)).
  - apply C. intros [i j] _. unfold v, A, weights. simpl.
    apply (softmax_along T (fun u l => E u (i, l)) (fun l => E' (i, l))); [easy|]. intros; apply D.
  - rewrite !RSum_cells. apply RSum_ext. intros i _. unfold v, scores_gradient. simpl.
    set (mE := RSum (fun l => A (i, l) * E' (i, l)) (idx T)).
    set (mG := RSum (fun l => A (i, l) * G (i, l)) (idx T)).
    rewrite (RSum_ext _ (fun j => G (i, j) * (A (i, j) * E' (i, j)) - mE * (A (i, j) * G (i, j))))
      by (intros; ring).
    rewrite (RSum_ext (fun j => A (i, j) * (G (i, j) - mG) * E' (i, j))
      (fun j => G (i, j) * (A (i, j) * E' (i, j)) - mG * (A (i, j) * E' (i, j)))) by (intros; ring).
    rewrite !RSum_minus, !RSum_scal. fold mE mG. ring.
Qed.

Lemma put_same x i j : put x i j (x (i, j)) = x.
Proof.
  apply functional_extensionality. intros [k l]. unfold put. simpl.
  destruct (Nat.eqb_spec k i), (Nat.eqb_spec l j); simpl; congruence.
Qed.

Lemma derivable_put x i j c t :
  derivable_pt_lim (fun u => put x i j u c) t (delta (fst c) i * delta (snd c) j).
Proof.
  unfold put, delta. destruct (Nat.eqb (fst c) i), (Nat.eqb (snd c) j); simpl;
    rewrite ?Rmult_1_l, ?Rmult_0_l;
    [apply derivable_pt_lim_id|apply (derivable_pt_lim_const (x c))..].
Qed.

Lemma RSum_cell (f : matrix) m n i j : (i < m)%nat -> (j < n)%nat ->
  RSum (fun c => f c * (delta (fst c) i * delta (snd c) j)) (cells m n) = f (i, j).
Proof.
  intros Hi Hj. rewrite RSum_cells. simpl.
  rewrite (RSum_ext _ (fun k => delta k i * f (k, j))).
  - apply (RSum_delta (fun k => f (k, j))), Hi.
  - intros k _. rewrite (RSum_ext _ (fun l => delta l j * (delta k i * f (k, l)))) by (intros; ring).
    apply (RSum_delta (fun l => delta k i * f (k, l))), Hj.
Qed.

(** claim gradient: the way back through the softmax, with G = dL/dA
      (dL/dE)_ij = a_ij (G_ij - Sum_l a_il G_il) *)
Theorem gradient T L (E G : matrix) i j : (i < T)%nat -> (j < T)%nat ->
  is_gradient (cells T T) L (weights T E) G ->
  derivable_pt_lim (fun u => L (weights T (put E i j u))) (E (i, j))
    (weights T E (i, j) * (G (i, j) - RSum (fun l => weights T E (i, l) * G (i, l)) (idx T))).
Proof.
  intros Hi Hj Grad.
  assert (D := gradient_along T L (put E i j) (fun c => delta (fst c) i * delta (snd c) j) G (E (i, j))
    ltac:(lia)). rewrite put_same in D.
  specialize (D Grad (fun c => derivable_put E i j c (E (i, j)))).
  rewrite RSum_cell in D by easy. exact D.
Qed.
