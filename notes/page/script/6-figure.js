// The figure: one row of six scores at three widths with three divisors; and one row with its Jacobian.
const SCORE_LIMIT = 3, WIDTH_LIMIT = 4096;
let figure = structuredClone(DATA.figure);

const takeFigure = kept => {
  figure = structuredClone(kept ? {z: kept.z, widths: kept.widths} : DATA.figure);
};
const changeFigure = () => {
  progress.figure = figure;
  drawFigure();
  keep();
};
const fillFigure = () => {
  figure.z.forEach((x, j) => {
    $(`z-slide-${j}`).value = x;
    $(`z-${j}`).value = number(x, 1 + !Number.isInteger(Math.round(x * 100) / 10));
  });
  figure.widths.forEach((d, i) => { $(`width-${i}`).value = d; });
  all("#part-figure [aria-invalid]").forEach(field => field.removeAttribute("aria-invalid"));
  $("figure-error").textContent = "";
};

// Six bars; the winner's is darker, and its weight stands above all of them.
const bars = a => {
  const svg = element("svg", {viewBox: "0 0 72 64", role: "img", "aria-label": a.map(x => number(x, 3)).join(", ")});
  a.forEach((x, j) => {
    const height = Math.max(0.75, 50 * x);
    svg.append(element("rect", {x: 1 + 12 * j, y: 63 - height, width: 10, height, class: j === winner(a) ? "bar wins" : "bar"}));
  });
  svg.append(element("line", {x1: 0, y1: 63.5, x2: 72, y2: 63.5, class: "ground"}));
  return svg;
};
// Scores that were moved need not be standardised any more: the page says so, and a button makes them so again.
const spread = z => {
  const mean = z.reduce((sum, x) => sum + x, 0) / z.length, square = z.reduce((sum, x) => sum + x * x, 0) / z.length;
  return {mean, size: Math.sqrt(square), deviation: Math.sqrt(Math.max(0, square - mean * mean))};
};
const showSpread = () => {
  const {mean, size, deviation} = spread(figure.z);
  $("figure-note").hidden = Math.abs(mean) < 0.005 && Math.abs(size - 1) < 0.005;
  $("figure-spread").textContent = say("not_standardised", {mean: number(mean, 2), size: number(size, 2)});
  $("standardise").hidden = deviation < 0.005;
};
const drawFigure = () => {
  showSpread();
  for (const cell of all("[data-group]")) {
    const [divisor, i] = cell.dataset.group.split(" ");
    const a = weights(figure.z, figure.widths[i], divisor);
    cell.replaceChildren(element("span", {class: "weight"}, number(Math.max(...a), 3)), bars(a));
  }
  for (const [i, d] of figure.widths.entries()) all(`[data-width="${i}"]`).forEach(head => { head.textContent = d; });
  drawRow();
  showFound();
};
const showFound = () => {
  const picked = document.querySelector("[name=constant]:checked")?.value;
  const moved = ["one", "width"].some(divisor => !constant(figure.z, figure.widths, divisor));
  all("[data-answer]").forEach(p => { p.hidden = p.dataset.answer !== (picked && !moved ? "same" : picked); });
};

const readScore = j => {
  const field = $(`z-${j}`), x = readNumber(field.value);
  const good = Math.abs(x) <= SCORE_LIMIT;
  markField(field, good, "score_error", {limit: SCORE_LIMIT});
  if (!good) return;
  figure.z[j] = x;
  $(`z-slide-${j}`).value = x;
  changeFigure();
};
const readWidth = i => {
  const field = $(`width-${i}`), d = readNumber(field.value);
  const good = whole(d, 1, WIDTH_LIMIT);
  markField(field, good, "width_error", {limit: WIDTH_LIMIT});
  if (!good) return;
  figure.widths[i] = d;
  changeFigure();
};
const markField = (field, good, key, values) => {
  if (good) field.removeAttribute("aria-invalid");
  else field.setAttribute("aria-invalid", "true");
  if (!good) tell("figure-error", key, values);
  else if (!all("#part-figure [aria-invalid]").length) {
    delete told["figure-error"];
    $("figure-error").textContent = "";
  }
};

// The row: the same six scores, their typical size set by the slider.
const drawRow = () => {
  const d = 2 ** Number($("row-width").value), divided = $("row-divided").checked;
  const a = weights(figure.z, d, divided ? "root" : "one");
  const size = spread(figure.z).size * (divided ? 1 : Math.sqrt(d)), left = trace(a), top = 1 - 1 / a.length;
  $("row-d").textContent = String(d);
  $("row-width").setAttribute("aria-valuetext", `d_k = ${d}`);
  $("row-size").textContent = number(size, 1);
  $("row-bars").replaceChildren(bars(a));
  $("row-trace").textContent = number(left, 3);
  $("row-meter").value = left / top;
  $("row-meter").textContent = number(left, 3);
  $("row-weights").replaceChildren(element("th", {scope: "row"}, "a"), ...a.map((x, j) => element("td", {class: j === winner(a) ? "wins" : ""}, number(x, 2))));
  $("row-jacobian").replaceChildren(...jacobian(a).map((line, j) => element("tr", {}, element("th", {scope: "row"}, String(j + 1)),
    ...line.map(x => {
      const strength = Math.min(1, Math.abs(x) / 0.25) * 55;
      return element("td", {class: "heat", style: `--heat:${strength.toFixed(1)}%;--hue:var(${x < 0 ? "--second" : "--accent"})`}, number(x, 2));
    }))));
};
const showScores = () => { fillFigure(); drawFigure(); };
redraws.push(showScores);

const startFigure = () => {
  figure.z.forEach((_, j) => {
    $(`z-slide-${j}`).addEventListener("input", event => {
      figure.z[j] = Number(event.target.value);
      fillFigure();
      changeFigure();
    });
    $(`z-${j}`).addEventListener("change", () => readScore(j));
  });
  figure.widths.forEach((_, i) => $(`width-${i}`).addEventListener("change", () => readWidth(i)));
  $("figure-again").addEventListener("click", () => {
    takeFigure(null);
    showScores();
    progress.figure = null;
    keep();
  });
  $("standardise").addEventListener("click", () => {
    const {mean, deviation} = spread(figure.z);
    figure.z = figure.z.map(x => (x - mean) / deviation);
    fillFigure();
    changeFigure();
    $("z-slide-0").focus();
  });
  all("[name=constant]").forEach(radio => radio.addEventListener("change", () => {
    showFound();
    progress.found = progress.found || radio.value === "root";
    keep();
  }));
  $("row-width").addEventListener("input", drawRow);
  $("row-divided").addEventListener("change", drawRow);
};
