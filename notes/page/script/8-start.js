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
// On paper nothing is folded away, and the answers to the questions stand at the end.
let unfolded = [];
const answersAtTheEnd = () => Object.entries(DATA.questions).map(([id, asked]) => {
  const right = asked.kind === "number" ? [String(asked.answer)]
    : all("input", form(id)).filter(input => asked.right.includes(input.value)).map(input => input.nextElementSibling.cloneNode(true));
  const why = [...form(id).querySelector("[data-said=why]").children].map(p => p.cloneNode(true));
  return element("li", {}, ...right.map(x => element("p", {}, element("b", {}, x))), ...why);
});
addEventListener("beforeprint", () => {
  $("answers").querySelector("ol").replaceChildren(...answersAtTheEnd());
  $("answers").hidden = false;
  unfolded = all("details:not([open])");
  unfolded.forEach(details => { details.open = true; });
});
addEventListener("afterprint", () => {
  unfolded.forEach(details => { details.open = false; });
  $("answers").hidden = true;
});

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
