(** Logarithm.v -- the order of exp, and a logarithm and powers that need three axioms only.

    The library proves that exp increases, and defines its own ln and Rpower, by the mean value
    theorem, which brings in the excluded middle.  The power series does without.
    At the end: these are the library's ln and Rpower.
    Axioms: those of Coq's real numbers, and in the last section the excluded middle. *)
From Coq Require Import Reals Lra Lia.
From Sqrtdk Require Import RealSums.
Open Scope R_scope.

(** * exp increases *)

Lemma exp_series x : Un_cv (fun N => sum_f_R0 (fun i => / INR (fact i) * x ^ i) N) (exp x).
Proof. exact (proj2_sig (exist_exp x)). Qed.

Lemma inv_fact_pos n : 0 < / INR (fact n).
Proof. apply Rinv_0_lt_compat, lt_0_INR, lt_O_fact. Qed.

Lemma exp_above_pos x : 0 <= x -> 1 + x <= exp x.
Proof.
  intros P. pose proof (sum_incr _ 1 _ (exp_series x)) as S. simpl sum_f_R0 in S.
  replace (/ 1 * 1 + / 1 * (x * 1)) with (1 + x) in S by field. apply S.
  intros n. apply Rmult_le_pos; [left; apply inv_fact_pos|apply pow_le, P].
Qed.

Lemma exp_above_neg u : 0 <= u <= 1 -> 1 - u <= exp (- u).
Proof.
  intros P. set (t := fun n : nat => u ^ n / INR (fact n)).
  assert (D : Un_decreasing t).
  { intros n. unfold t, Rdiv. rewrite fact_simpl, mult_INR, S_INR, <- tech_pow_Rmult.
    pose proof (pos_INR n). pose proof (lt_0_INR _ (lt_O_fact n)) as F.
    assert (0 <= u ^ n * / INR (fact n)) as B
      by (apply Rmult_le_pos; [apply pow_le; lra|left; apply Rinv_0_lt_compat, F]).
    rewrite Rinv_mult.
    replace (u * u ^ n * (/ (INR n + 1) * / INR (fact n)))
      with (u ^ n * / INR (fact n) * (u * / (INR n + 1))) by ring.
    rewrite <- (Rmult_1_r (u ^ n * / INR (fact n))) at 2. apply Rmult_le_compat_l; [exact B|].
    apply (Rmult_le_reg_r (INR n + 1)); [lra|].
    rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. lra. }
  assert (S : Un_cv (fun N => sum_f_R0 (tg_alt t) N) (exp (- u))).
  { apply (Un_cv_eq (fun N => sum_f_R0 (fun i => / INR (fact i) * (- u) ^ i) N)); [|apply exp_series].
    intros N. apply sum_eq. intros i _. unfold tg_alt, t, Rdiv.
    replace (- u) with (-1 * u) by ring. rewrite Rpow_mult_distr. ring. }
  destruct (alternated_series_ineq t (exp (- u)) 0 D (cv_speed_pow_fact u) S) as [L _].
  unfold tg_alt, t in L. simpl in L. lra.
Qed.

Lemma exp_above x : 1 + x <= exp x.
Proof.
  destruct (Rle_lt_dec 0 x) as [P|N]; [apply exp_above_pos, P|].
  destruct (Rle_lt_dec (-1) x) as [P|M]; [|pose proof (exp_pos x); lra].
  pose proof (exp_above_neg (- x) ltac:(lra)) as E. rewrite Ropp_involutive in E. lra.
Qed.

Lemma exp_lt x y : x < y -> exp x < exp y.
Proof.
  intros H. replace y with (x + (y - x)) by ring. rewrite exp_plus.
  pose proof (exp_pos x). pose proof (exp_above (y - x)). nra.
Qed.

Lemma exp_inj x y : exp x = exp y -> x = y.
Proof.
  intros E. destruct (Rtotal_order x y) as [L|[E'|L]]; [|exact E'|]; apply exp_lt in L; lra.
Qed.

(** * The logarithm *)

Lemma log_sig x : 0 < x -> {l : R | exp l = x}.
Proof.
  intros P. pose proof (Rinv_0_lt_compat x P) as Pi.
  destruct (IVT_cor (fun u => exp u - x) (- / x) x) as [l [_ E]].
  - apply continuity_minus; [apply derivable_continuous, derivable_exp|].
    apply continuity_const. intros a b. easy.
  - lra.
  - pose proof (exp_above x). pose proof (exp_above (/ x)) as B.
    assert (exp (- / x) <= x).
    { rewrite exp_Ropp. apply Rle_trans with (/ / x); [|rewrite Rinv_inv; lra].
      apply Rinv_le_contravar; lra. }
    nra.
  - exists l. lra.
Qed.

(** The number l with exp l = x, when x > 0. *)
Definition log (x : R) : R :=
  match Rlt_dec 0 x with
  | left P => proj1_sig (log_sig x P)
  | right _ => 0
  end.

(** x^y = exp(y log x) *)
Definition power (x y : R) : R := exp (y * log x).

(** claim cross-entropy, what the log is: the inverse of exp *)
Theorem exp_log x : 0 < x -> exp (log x) = x.
Proof. intros P. unfold log. destruct (Rlt_dec 0 x) as [H|]; [exact (proj2_sig (log_sig x H))|easy]. Qed.

Lemma log_exp l : log (exp l) = l.
Proof. apply exp_inj, exp_log, exp_pos. Qed.

Lemma log_div x y : 0 < x -> 0 < y -> log (x / y) = log x - log y.
Proof.
  intros P Q. apply exp_inj. rewrite exp_log by (apply Rdiv_lt_0_compat; easy).
  unfold Rminus. rewrite exp_plus, exp_Ropp, !exp_log by easy. easy.
Qed.

Lemma log_below x : 0 < x -> log x <= x - 1.
Proof. intros P. pose proof (exp_above (log x)). rewrite exp_log in H by easy. lra. Qed.

(** log' = 1/x *)
Lemma derivable_log x : 0 < x -> derivable_pt_lim log x (/ x).
Proof.
  intros P eps E.
  assert (Px : 0 < x * x) by (apply Rmult_lt_0_compat; lra).
  assert (Pe : 0 < eps * (x * x)) by (apply Rmult_lt_0_compat; lra).
  assert (Pd : 0 < Rmin (x / 2) (eps * (x * x) / 2)) by (apply Rmin_pos; lra).
  exists (mkposreal _ Pd). intros h N H. simpl in H.
  assert (H1 : Rabs h < x / 2) by (pose proof (Rmin_l (x / 2) (eps * (x * x) / 2)); lra).
  assert (H2 : Rabs h < eps * (x * x) / 2) by (pose proof (Rmin_r (x / 2) (eps * (x * x) / 2)); lra).
  assert (Q : x / 2 < x + h) by (apply Rabs_def2 in H1; lra).
  assert (U : log (x + h) - log x <= h / x).
  { rewrite <- log_div by lra. apply Rle_trans with ((x + h) / x - 1).
    - apply log_below, Rdiv_lt_0_compat; lra.
    - right. field. lra. }
  assert (L : h / (x + h) <= log (x + h) - log x).
  { assert (log x - log (x + h) <= - (h / (x + h))); [|lra].
    rewrite <- log_div by lra. apply Rle_trans with (x / (x + h) - 1).
    - apply log_below, Rdiv_lt_0_compat; lra.
    - right. field. lra. }
  set (q := log (x + h) - log x) in *.
  (* h q lies between h^2/(x+h) and h^2/x, so q/h lies between 1/(x+h) and 1/x *)
  assert (B : Rabs (q - h / x) <= Rabs h * (Rabs h * (2 / (x * x)))).
  { assert (G : h / x - h / (x + h) = h * h * / (x * (x + h))) by (field; lra).
    assert (K : / (x * (x + h)) <= 2 / (x * x)).
    { replace (2 / (x * x)) with (/ (x * (x / 2))) by (field; lra). apply Rinv_le_contravar; nra. }
    assert (S : Rabs h * Rabs h = h * h) by (rewrite <- Rabs_mult; apply Rabs_right; nra).
    rewrite <- Rmult_assoc, S. rewrite Rabs_left1 by lra.
    apply Rle_trans with (h * h * / (x * (x + h))); [lra|]. apply Rmult_le_compat_l; [nra|exact K]. }
  replace (q / h - / x) with ((q - h / x) * / h) by (field; lra).
  pose proof (Rabs_pos_lt h N) as Ph. rewrite Rabs_mult, Rabs_inv.
  apply (Rmult_lt_reg_r (Rabs h)); [easy|]. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  apply Rle_lt_trans with (1 := B). rewrite (Rmult_comm eps). apply Rmult_lt_compat_l; [easy|].
  apply (Rmult_lt_reg_r (x * x / 2)); [nra|].
  replace (Rabs h * (2 / (x * x)) * (x * x / 2)) with (Rabs h) by (field; lra). lra.
Qed.

(** * Powers *)

(** claim only-the-root, what a real power is *)
Theorem power_formula x y : power x y = exp (y * log x).
Proof. easy. Qed.

Lemma power_pos x y : 0 < power x y.
Proof. apply exp_pos. Qed.

Lemma power_plus x y z : power x (y + z) = power x y * power x z.
Proof. unfold power. rewrite Rmult_plus_distr_r. apply exp_plus. Qed.

Lemma power_opp x y : power x (- y) = / power x y.
Proof. unfold power. rewrite <- exp_Ropp. f_equal. ring. Qed.

Lemma power_0 x : power x 0 = 1.
Proof. unfold power. rewrite Rmult_0_l. apply exp_0. Qed.

Lemma power_1 x : 0 < x -> power x 1 = x.
Proof. intros P. unfold power. rewrite Rmult_1_l. apply exp_log, P. Qed.

Lemma power_power x y z : power (power x y) z = power x (y * z).
Proof. unfold power. rewrite log_exp. f_equal. ring. Qed.

Lemma power_half x : 0 < x -> power x (1 / 2) = sqrt x.
Proof.
  intros P. symmetry. apply sqrt_lem_1; [lra|left; apply power_pos|].
  rewrite <- power_plus. replace (1 / 2 + 1 / 2) with 1 by lra. apply power_1, P.
Qed.

Lemma power_lt x y c : 0 < c -> 0 < x -> x < y -> power x c < power y c.
Proof.
  intros C P L. apply exp_lt, Rmult_lt_compat_l; [easy|].
  destruct (Rlt_le_dec (log x) (log y)) as [|G]; [easy|].
  destruct G as [G|G]; [apply exp_lt in G|apply (f_equal exp) in G]; rewrite !exp_log in G by lra; lra.
Qed.

(** * They are the library's (by the library's own lemmas, which use the excluded middle) *)

Theorem log_is_ln x : 0 < x -> log x = ln x.
Proof. intros P. apply exp_inj. rewrite exp_log, exp_ln; easy. Qed.

Theorem power_is_Rpower x y : 0 < x -> power x y = Rpower x y.
Proof. intros P. unfold power, Rpower. rewrite log_is_ln; easy. Qed.
