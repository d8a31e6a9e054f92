// The live cube: every vector of {−1,1}^d beside its partner, as a drawing and as a table.
const WHERE = [[86, 0], [0, -86], [36, -30], [172, 16], [14, 190]];  // where each coordinate leads to on the drawing
let cube = {q: [1, -1, 1], r: 0, s: 1}, chosen = null;

const takeCube = kept => {
  cube = kept || {q: [1, -1, 1], r: 0, s: 1};
  chosen = null;
};
const changeCube = change => {
  Object.assign(cube, change);
  progress.cube = cube;
  drawCube();
  keep();
};
const choose = k => {
  chosen = k;
  drawCube();
};
const unbroken = text => text.replaceAll(" ", "\u00a0");
const vector = k => unbroken(showVector(k, cube.q.length));

const place = (k, d) => signs(k, d).reduce(([x, y], v, r) => (v < 0 ? [x, y] : [x + WHERE[r][0], y + WHERE[r][1]]), [0, 0]);
const drawing = () => {
  const {q, r, s} = cube, d = q.length, n = 1 << d;
  const at = Array.from({length: n}, (_, k) => place(k, d));
  const xs = at.map(p => p[0]), ys = at.map(p => p[1]), pad = 20;
  const box = [Math.min(...xs) - pad, Math.min(...ys) - pad, 0, 0];
  box[2] = Math.max(...xs) + pad - box[0];
  box[3] = Math.max(...ys) + pad - box[1];
  const svg = element("svg", {viewBox: box.join(" "), role: "img", style: `max-width:${box[2] * 1.5}px`,
    "aria-label": say("cube_drawn", {d, r: r + 1, n: n / 2})});
  const partner = chosen === null ? null : chosen ^ 1 << r;
  for (let k = 0; k < n; k++) {
    for (let c = 0; c < d; c++) {
      const l = k ^ 1 << c;
      if (l < k) continue;
      const lit = c === r && (k === chosen || k === partner);
      svg.append(element("line", {x1: at[k][0], y1: at[k][1], x2: at[l][0], y2: at[l][1],
        class: `edge${c === r ? " matched" : ""}${lit ? " lit" : ""}`}));
    }
  }
  for (let k = 0; k < n; k++) {
    const value = cross(q, k, r, s), lit = k === chosen || k === partner;
    svg.append(element("g", {class: `vertex ${value < 0 ? "minus" : "plus"}${lit ? " lit" : ""}`, "data-k": k, onclick: () => choose(k)},
      element("circle", {cx: at[k][0], cy: at[k][1], r: lit ? 16 : 12}),
      element("text", {x: at[k][0], y: at[k][1], dy: ".36em", "text-anchor": "middle"}, sign(value))));
  }
  return svg;
};

const vectorButton = k => {
  const partner = chosen === null ? null : chosen ^ 1 << cube.r;
  const mark = k === chosen ? "chosen" : k === partner ? "partner" : "";
  return element("button", {type: "button", class: `vector ${mark}`, "aria-pressed": k === chosen, "data-k": k, onclick: () => choose(k)}, showVector(k, cube.q.length));
};
const options = (select, values, now) => {
  select.replaceChildren(...values.map(v => element("option", {value: v}, String(v))));
  select.value = now;
};
const drawCube = () => {
  const {q, r, s} = cube, d = q.length, focused = document.activeElement;
  const back = focused && focused.closest("#cube") && (focused.dataset.k ? `button[data-k="${focused.dataset.k}"]` : focused.dataset.q && `[data-q="${focused.dataset.q}"]`);
  options($("cube-d"), [2, 3, 4, 5], d);
  options($("cube-r"), q.map((_, i) => i + 1), r + 1);
  options($("cube-s"), q.map((_, i) => i + 1), s + 1);
  $("cube-q").replaceChildren(...q.map((x, i) => element("button", {type: "button", class: "sign", "data-q": i,
    "aria-label": say("change_sign", {i: i + 1, value: sign(x) + "1"}),
    onclick: () => changeCube({q: q.map((y, j) => (j === i ? -y : y))})}, sign(x))));
  $("cube-drawing").replaceChildren(drawing());
  const found = pairs(q, r, s);
  $("cube-pairs").replaceChildren(...found.map(p => element("tr", {class: p.k === chosen || p.partner === chosen ? "lit" : ""},
    element("td", {}, vectorButton(p.k)), element("td", {}, vectorButton(p.partner)),
    element("td", {}, sign(p.here) + "1"), element("td", {}, sign(p.there) + "1"), element("td", {}, String(p.sum)))));
  $("cube-total").textContent = say("cube_total", {pairs: found.length, vectors: 2 * found.length, d});
  if (chosen === null) $("cube-said").textContent = say("cube_choose");
  else {
    const partner = chosen ^ 1 << r, here = cross(q, chosen, r, s), there = cross(q, partner, r, s);
    $("cube-said").textContent = say("cube_chosen", {k: vector(chosen), partner: vector(partner), i: r + 1,
      here: sign(here) + "1", there: sign(there) + "1", sum: here + there});
  }
  for (const [name, value] of Object.entries(facts(q, r, s))) {
    for (const place of all(`[data-fact="${name}"]`)) place.textContent = value;
  }
  const letter = i => `<msub><mi>t</mi><mn>${i + 1}</mn></msub>`;
  all(".crossed").forEach(list => {
    list.innerHTML = crossed(q).map(([i, j, sum]) =>
      `<li><math><mo>∑</mo>${letter(i)}${letter(j)}<mo>=</mo><mn>${signed(sum)}</mn></math></li>`).join("");
  });
  showAttempt();
  if (back) $("cube").querySelector(back)?.focus();
};
redraws.push(drawCube);

// The last step: a pairing that may be wrong, and the condition that it breaks.
const showAttempt = () => {
  const picked = document.querySelector("[name=attempt]:checked");
  if (!picked) return;
  const [q, r, s] = setting(picked.value, cube.q, cube.r, cube.s), found = judge(picked.value, q, r, s);
  if (!found) $("attempt-said").textContent = say("holds");
  else {
    const {condition, key, partner, back} = found, inside = partner < 1 << q.length;
    const values = {d: q.length, key: unbroken(showVector(key, q.length)), partner: inside ? unbroken(showVector(partner, q.length)) : "", back: back === null ? "" : unbroken(showVector(back, q.length)),
      here: signed(cross(q, key, r, s)), there: inside ? signed(cross(q, partner, r, s)) : ""};
    $("attempt-said").textContent = say("fails", {condition: say(condition), why: say(condition + "_why", values)});
  }
};

// r and s are different: where one takes the other's place, the other takes its.
const setPair = (name, other, value) => changeCube(cube[other] === value ? {[name]: value, [other]: cube[name]} : {[name]: value});
const startCube = () => {
  $("cube-d").addEventListener("change", event => {
    const d = Number(event.target.value);
    chosen = null;
    const q = Array.from({length: d}, (_, i) => cube.q[i] ?? (i % 2 ? -1 : 1));
    changeCube(cube.r < d && cube.s < d ? {q} : {q, r: 0, s: 1});
  });
  all("[name=attempt]").forEach(radio => radio.addEventListener("change", showAttempt));
  $("cube-r").addEventListener("change", event => setPair("r", "s", event.target.value - 1));
  $("cube-s").addEventListener("change", event => setPair("s", "r", event.target.value - 1));
};
