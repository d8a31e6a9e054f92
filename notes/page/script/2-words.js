// The language and the colours of the page, and small helpers that all parts use.
const DATA = JSON.parse(document.getElementById("data").textContent);
const $ = id => document.getElementById(id);
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const page = document.documentElement;

let language = page.lang;
const redraws = [];  // what has to be drawn again in another language

const say = (key, values = {}) =>
  DATA.words[language][key].replace(/\{(\w+)\}/g, (_, name) => values[name]);
const number = (x, digits) => {
  const text = x.toFixed(digits).replace("-", "−");
  return (/^−0[.0]*$/.test(text) ? text.slice(1) : text).replace(".", say("decimal_mark"));
};

const element = (tag, attributes = {}, ...children) => {
  const svg = ["svg", "g", "line", "circle", "rect", "text", "title"].includes(tag);
  const made = svg ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== false) made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
};

const setLanguage = chosen => {
  if (!(chosen in DATA.words)) return;
  language = page.lang = chosen;
  document.title = say("title");
  for (const button of all("[data-language]")) {
    button.setAttribute("aria-pressed", button.dataset.language === chosen);
  }
  for (const worded of all("[data-text]")) worded.textContent = say(worded.dataset.text);
  for (const labelled of all("[data-label]")) labelled.setAttribute("aria-label", say(labelled.dataset.label, labelled.dataset));
  redraws.forEach(draw => draw());
};
const setTheme = chosen => {
  page.dataset.theme = ["light", "dark"].includes(chosen) ? chosen : "auto";
  $("theme").value = page.dataset.theme;
};
