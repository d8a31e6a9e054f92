// Copying LaTeX, printing, and the start of everything.
const copy = async text => {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = element("textarea", {class: "away", "aria-hidden": "true", tabindex: "-1"});
    area.value = text;
    document.body.append(area);
    area.select();
    const copied = document.execCommand("copy");  // where a browser gives a file no clipboard
    area.remove();
    return copied;
  }
};
const startCopying = () => {
  for (const button of all("[data-latex]")) {
    button.addEventListener("click", async () => {
      const copied = await copy(button.dataset.latex);
      button.focus();
      button.dataset.copied = copied;
      setTimeout(() => delete button.dataset.copied, 1500);
      tell("copy-status", copied ? "copied" : "not_copied", {id: button.dataset.id});
    });
  }
};
// On paper nothing is folded away.
let unfolded = [];
addEventListener("beforeprint", () => {
  unfolded = all("details:not([open])");
  unfolded.forEach(details => { details.open = true; });
});
addEventListener("afterprint", () => unfolded.forEach(details => { details.open = false; }));

for (const button of all("[data-language]")) {
  button.addEventListener("click", () => {
    setLanguage(button.dataset.language);
    keep();
  });
}
$("theme").addEventListener("change", event => {
  setTheme(event.target.value);
  progress.theme = page.dataset.theme;
  keep();
});
startSteps();
startCube();
startFigure();
startQuestions();
startProgress();
startCopying();
takeUp((stored() && readProgress(stored())) || FRESH());
page.classList.add("ready");
performance.mark("ready");
