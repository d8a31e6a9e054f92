// Progress: kept when the page is closed, where the browser lets a file keep anything; exported, imported, reset.
const KEY = "sqrtdk-lesson";
const FRESH = () => ({version: 1, step: 0, seen: [0], answers: {}, figure: null, found: false, cube: null, theme: "auto"});
let progress = FRESH();

const stored = () => {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;  // a browser may forbid it to a file
  }
};
const keep = () => {
  try {
    localStorage.setItem(KEY, JSON.stringify({...progress, language}));
  } catch {
    $("progress-note").hidden = false;
  }
  showProgress();
};

const whole = (x, low, high) => Number.isInteger(x) && x >= low && x <= high;
const finite = (x, low, high) => typeof x === "number" && x >= low && x <= high;
const listOf = (x, length, test) => Array.isArray(x) && x.length === length && x.every(test);
// What was kept or imported, or null where any of it is not what this page writes.
const readProgress = text => {
  let p;
  try {
    p = JSON.parse(text);
  } catch {
    return null;
  }
  if (p === null || typeof p !== "object" || p.version !== 1) return null;
  const last = DATA.steps - 1, {cube, figure} = p;
  const good = whole(p.step, 0, last) && Array.isArray(p.seen) && p.seen.every(n => whole(n, 0, last))
    && p.answers !== null && typeof p.answers === "object"
    && Object.entries(p.answers).every(([id, a]) => id in DATA.questions && Array.isArray(a) && a.every(x => typeof x === "string"))
    && typeof p.found === "boolean" && p.language in DATA.words
    && (cube === null || (typeof cube === "object" && Array.isArray(cube.q) && whole(cube.q.length, 2, 5)
      && cube.q.every(x => x === 1 || x === -1) && whole(cube.r, 0, cube.q.length - 1)
      && whole(cube.s, 0, cube.q.length - 1) && cube.r !== cube.s))
    && (figure === null || (typeof figure === "object" && listOf(figure.z, DATA.figure.z.length, x => finite(x, -SCORE_LIMIT, SCORE_LIMIT))
      && listOf(figure.widths, DATA.figure.widths.length, x => whole(x, 1, WIDTH_LIMIT))));
  return good ? p : null;
};

const takeUp = p => {
  progress = {...FRESH(), ...p};
  setTheme(progress.theme);
  takeCube(progress.cube);
  takeFigure(progress.figure);
  showAnswers();
  goTo(progress.step, false);
  setLanguage(p.language || language);  // and draws everything
};

const showProgress = () => {
  const right = Object.keys(progress.answers).filter(id => isRight(id, progress.answers[id])).length;
  $("progress").textContent = say("progress", {
    seen: new Set(progress.seen).size, steps: DATA.steps, right, questions: Object.keys(DATA.questions).length,
  });
};
redraws.push(showProgress);

const exportProgress = () => {
  const text = JSON.stringify({...progress, language}, null, 2);
  const url = URL.createObjectURL(new Blob([text], {type: "application/json"}));
  element("a", {href: url, download: "sqrtdk-progress.json"}).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
  tell("progress-status", "exported");
};
const importProgress = async file => {
  const p = readProgress(await file.text());
  if (p) {
    takeUp(p);
    keep();
  }
  tell("progress-status", p ? "imported" : "not_progress", {name: file.name});
};
// The first press asks, the second one does it: a dialogue would block the page.
let asked = false;
const resetProgress = () => {
  if (asked) {
    takeUp({...FRESH(), language});
    keep();
  }
  asked = !asked;
  tell("progress-status", asked ? "reset_sure" : "reset_done");
};

// A status line that can be said again in another language.
const told = {};
const tell = (id, key, values) => {
  told[id] = [key, values];
  $(id).textContent = say(key, values);
};
redraws.push(() => Object.entries(told).forEach(([id, [key, values]]) => tell(id, key, values)));

const startProgress = () => {
  $("export").addEventListener("click", exportProgress);
  $("import").addEventListener("change", event => {
    if (event.target.files.length) importProgress(event.target.files[0]);
    event.target.value = "";
  });
  $("reset").addEventListener("click", resetProgress);
  $("reset").addEventListener("blur", () => { if (asked) { asked = false; tell("progress-status", "reset_kept"); } });
};
