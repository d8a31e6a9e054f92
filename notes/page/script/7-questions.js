// The five questions: an answer is a list of options, or one number as it was typed.
const isRight = (id, answer) => {
  const asked = DATA.questions[id];
  if (asked.kind === "number") return Math.abs(readNumber(answer[0] ?? "") - asked.answer) <= asked.tolerance;
  return answer.length === asked.right.length && asked.right.every(key => answer.includes(key));
};
const form = id => document.querySelector(`[data-question="${id}"]`);

const readAnswer = id => {
  const field = form(id).querySelector("input[type=text]");
  return field ? [field.value] : all("input:checked", form(id)).map(input => input.value);
};
// Show what is said of an answer: right or not, the reason of each option chosen or missed, the claim it rests on.
const explain = (id, answer) => {
  const asked = DATA.questions[id], right = isRight(id, answer);
  const readable = asked.kind === "number" ? !Number.isNaN(readNumber(answer[0])) : answer.length > 0;
  const shown = new Set(readable ? [right ? "right" : "wrong", "why"] : ["unreadable"]);
  if (readable && asked.kind === "number") {
    for (const [key, value] of Object.entries(asked.mistakes)) {
      if (readNumber(answer[0]) === value) shown.add(key);
    }
  } else if (readable) {
    for (const key of [...answer, ...(asked.kind === "all" ? asked.right : [])]) shown.add(key);
  }
  all("[data-said]", form(id)).forEach(p => { p.hidden = !shown.has(p.dataset.said); });
  form(id).dataset.state = readable ? (right ? "right" : "wrong") : "";
  return readable;
};
const showAnswers = () => {
  for (const id of Object.keys(DATA.questions)) {
    const answer = progress.answers[id];
    for (const input of all("input", form(id))) {
      if (input.type === "text") input.value = answer?.[0] ?? "";
      else input.checked = answer?.includes(input.value) ?? false;
    }
    if (answer) explain(id, answer);
    else {
      all("[data-said]", form(id)).forEach(p => { p.hidden = true; });
      form(id).dataset.state = "";
    }
  }
};
const startQuestions = () => {
  for (const id of Object.keys(DATA.questions)) {
    form(id).addEventListener("submit", event => {
      event.preventDefault();
      const answer = readAnswer(id);
      if (!explain(id, answer)) return;
      progress.answers[id] = answer;
      keep();
    });
  }
};
