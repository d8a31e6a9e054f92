(** EightApart.v -- two scores 8 apart: a factor e^8, which is 2981 to the nearest whole number.

    e^-1 is enclosed by its alternating series and then raised to the eighth power.
    Axioms: those of Coq's real numbers. *)
From Coq Require Import List Reals Lra Lia.
From Sqrtdk Require Import Sums RealSums Softmax.
Open Scope R_scope.

(** n! in binary, so that it can be computed. *)
Fixpoint factorial (n : nat) : Z :=
  match n with
  | O => 1
  | S n' => Z.of_nat n * factorial n'
  end.

Lemma INR_fact n : INR (fact n) = IZR (factorial n).
Proof.
  induction n as [|n IH]; [easy|]. rewrite fact_simpl, mult_INR, IH, INR_IZR_INZ, <- mult_IZR. easy.
Qed.

Definition term_of_exp (n : nat) : R := / IZR (factorial n).

Lemma factorial_pos n : 0 < IZR (factorial n).
Proof. rewrite <- INR_fact. apply lt_0_INR, lt_O_fact. Qed.

Lemma terms_decrease : Un_decreasing term_of_exp.
Proof.
  intros n. unfold term_of_exp. apply Rinv_le_contravar; [apply factorial_pos|].
  change (factorial (S n)) with (Z.of_nat (S n) * factorial n)%Z. rewrite mult_IZR, <- INR_IZR_INZ, S_INR.
  pose proof (factorial_pos n). pose proof (pos_INR n). nra.
Qed.

Lemma terms_vanish : Un_cv term_of_exp 0.
Proof.
  apply (Un_cv_eq (fun n => 1 ^ n / INR (fact n))); [|apply cv_speed_pow_fact].
  intros n. unfold term_of_exp. rewrite pow1, INR_fact. unfold Rdiv. ring.
Qed.

Lemma series : Un_cv (fun N => sum_f_R0 (tg_alt term_of_exp) N) (exp (-1)).
Proof.
  apply (Un_cv_eq (fun N => sum_f_R0 (fun i => / INR (fact i) * (-1) ^ i) N)).
  - intros N. apply sum_eq. intros i _. unfold tg_alt, term_of_exp. rewrite INR_fact. ring.
  - exact (proj2_sig (exist_exp (-1))).
Qed.

Lemma exp_minus_one : 0.367879439 <= exp (-1) <= 0.367879465.
Proof.
  destruct (alternated_series_ineq term_of_exp (exp (-1)) 5 terms_decrease terms_vanish series) as [A B].
  unfold tg_alt, term_of_exp in A, B. cbn -[IZR Rmult Rplus Rinv pow] in A, B. simpl pow in A, B. lra.
Qed.

Lemma exp_eight : 2980 < exp 8 < 2981.
Proof.
  assert (E : exp 8 = / exp (-1) ^ 8).
  { replace 8 with (- (-1 + (-1 + (-1 + (-1 + (-1 + (-1 + (-1 + -1)))))))) at 1 by lra.
    rewrite exp_Ropp. f_equal. rewrite !exp_plus. ring. }
  destruct exp_minus_one as [A B]. rewrite E.
  assert (L := pow_incr 0.367879439 (exp (-1)) 8 ltac:(lra)).
  assert (U := pow_incr (exp (-1)) 0.367879465 8 ltac:(lra)).
  set (x := exp (-1) ^ 8) in *. assert (0 < 0.367879439 ^ 8) by (apply pow_lt; lra).
  split; apply (Rmult_lt_reg_r x); try lra; rewrite Rinv_l by lra; simpl in L, U; lra.
Qed.

(** claim ratio: two scores 8 apart (the typical size at d = 64) stand a factor e^8 apart
      2980 < a_j / a_l = e^8 < 2981 *)
Theorem eight_apart T e j l : (0 < T)%nat -> e j - e l = 8 ->
  softmax T e j / softmax T e l = exp 8 /\ 2980 < softmax T e j / softmax T e l < 2981.
Proof.
  intros H E. rewrite (ratio T e j l H), E. split; [easy|]. apply exp_eight.
Qed.
