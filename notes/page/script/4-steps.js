// The proof, one step at a time: buttons, arrow keys, Home and End; all steps at once on paper or without a script.
const steps = all(".step");
const goTo = (n, moved = true) => {
  progress.step = Math.min(steps.length - 1, Math.max(0, n));
  if (!progress.seen.includes(progress.step)) progress.seen.push(progress.step);
  steps.forEach((step, i) => step.classList.toggle("now", i === progress.step));
  all("#dots button").forEach((dot, i) => {
    if (i === progress.step) dot.setAttribute("aria-current", "step");
    else dot.removeAttribute("aria-current");
  });
  $("back").setAttribute("aria-disabled", progress.step === 0);
  $("next").setAttribute("aria-disabled", progress.step === steps.length - 1);
  showStep();
  if (moved) keep();
};
const showStep = () => {
  $("step-number").textContent = say("step_of", {step: progress.step + 1, steps: steps.length});
  all("#dots button").forEach((dot, i) => dot.setAttribute("aria-label", say("go_to_step", {step: i + 1})));
};
redraws.push(showStep);

const STEP_KEYS = {
  ArrowRight: () => progress.step + 1, ArrowLeft: () => progress.step - 1, Home: () => 0, End: () => steps.length - 1,
};
const startSteps = () => {
  $("dots").append(...steps.map((_, i) => element("button", {type: "button", onclick: () => goTo(i)}, String(i + 1))));
  $("back").addEventListener("click", () => goTo(progress.step - 1));
  $("next").addEventListener("click", () => goTo(progress.step + 1));
  $("stepper").addEventListener("keydown", event => {
    const modified = event.altKey || event.ctrlKey || event.metaKey || event.shiftKey;
    if (modified || event.target.closest("input, select, textarea") || !(event.key in STEP_KEYS)) return;
    event.preventDefault();
    goTo(STEP_KEYS[event.key]());
  });
};
