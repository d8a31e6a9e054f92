// The numbers of the page, as functions without a document: tests compare them with the exact ones.
const softmax = scores => {
  const top = Math.max(...scores);
  const x = scores.map(e => Math.exp(e - top));
  const sum = x.reduce((a, b) => a + b, 0);
  return x.map(v => v / sum);
};
const jacobian = a => a.map((aj, j) => a.map((al, l) => aj * ((j === l ? 1 : 0) - al)));
const trace = a => 1 - a.reduce((sum, x) => sum + x * x, 0);
const winner = a => a.indexOf(Math.max(...a));

const DIVISORS = {one: () => 1, root: d => Math.sqrt(d), width: d => d};
// A row of standardised scores, shown at typical size √d, and divided before the softmax.
const weights = (z, d, divisor) => softmax(z.map(x => x * Math.sqrt(d) / DIVISORS[divisor](d)));
// Whether a row of groups is the same at every width, to the last figure that could be told apart.
const constant = (z, widths, divisor) => {
  const [first, ...rest] = widths.map(d => weights(z, d, divisor));
  return rest.every(a => a.every((x, j) => Math.abs(x - first[j]) < 1e-9));
};

// A vector is a whole number: bit r is set where coordinate r is −1.
const signs = (k, d) => Array.from({length: d}, (_, r) => (k >> r & 1 ? -1 : 1));
const cross = (q, k, r, s) => {
  const v = signs(k, q.length);
  return q[r] * v[r] * q[s] * v[s];
};
// Every vector with the partner in which the sign of coordinate r is changed: each pair once.
const pairs = (q, r, s) => {
  const found = [];
  for (let k = 0; k < 1 << q.length; k++) {
    if (k >> r & 1) continue;
    const partner = k ^ 1 << r;
    const [here, there] = [cross(q, k, r, s), cross(q, partner, r, s)];
    found.push({k, partner, here, there, sum: here + there});
  }
  return found;
};

const sign = x => (x < 0 ? "−" : "+");
const signed = x => (x < 0 ? "−" : "") + Math.abs(x);
const showVector = (k, d) => "(" + signs(k, d).map(sign).join(" ") + ")";
const sampleKey = d => 0b101010 & (1 << d) - 1;
// What stands in the sentences of the proof, by name, for a query of signs.
const facts = (q, r, s) => {
  const d = q.length, key = sampleKey(d), partner = key ^ 1 << r;
  const numbers = {
    d, r: r + 1, s: s + 1, beyond: d + 1, fewer: d - 1, keys: 1 << d, pairs: 1 << d - 1, crossed: d * (d - 1),
    here: cross(q, key, r, s), there: cross(q, partner, r, s), norm: d, total: d * 2 ** d,
  };
  return {
    ...Object.fromEntries(Object.entries(numbers).map(([name, x]) => [name, signed(x)])),
    q: `(${q.map(signed).join(", ")})`, key: showVector(key, d), partner: showVector(partner, d),
    squares: q.map(() => "1").join(" + "),
    norm_root: d + (Number.isInteger(Math.sqrt(d)) ? ` = ${Math.sqrt(d)}` : ""),
  };
};

// Pairings that a reader may try: the partner of k. Only some of them meet the four conditions.
const ATTEMPTS = {
  "same-sign": (k, q, r) => (q[r] < 0 ? k | 1 << r : k & ~(1 << r)),
  "flip-two": (k, q, r, s) => k ^ 1 << r ^ 1 << s,
  "flip-outside": (k, q) => k ^ 1 << q.length,
  "flip-none": k => k,
  "next-key": (k, q) => (k + 1) % (1 << q.length),
  "one-coordinate": (k, q, r) => k ^ 1 << r,
  "flip-s": (k, q, r, s) => k ^ 1 << s,
};
// One of them is about another cube: the one of a single coordinate.
const setting = (name, q, r, s) => (name === "one-coordinate" ? [q.slice(0, 1), 0, 0] : [q, r, s]);
// The first key at which a pairing breaks a condition, in the order of the keys; null where it proves the claim.
const judge = (name, query, first, second) => {
  const [q, r, s] = setting(name, query, first, second);
  const n = 1 << q.length, to = k => ATTEMPTS[name](k, q, r, s);
  for (let key = 0; key < n; key++) {
    const partner = to(key);
    if (partner >= n) return {condition: "inside", key, partner, back: null};
    const back = to(partner), found = {key, partner, back};
    if (back !== key) return {condition: "undoes", ...found};
    if (partner === key) return {condition: "fixed", ...found};
    if (cross(q, key, r, s) + cross(q, partner, r, s) !== 0) return {condition: "cancels", ...found};
  }
  return null;
};

// Each crossed term added up over all keys: r, s and the sum.
const crossed = q => {
  const found = [];
  for (let r = 0; r < q.length; r++) {
    for (let s = r + 1; s < q.length; s++) {
      found.push([r, s, pairs(q, r, s).reduce((sum, p) => sum + p.sum, 0)]);
    }
  }
  return found;
};

// A number as people type it: with a decimal point or comma, a hyphen or a minus. NaN for anything else.
const readNumber = text => {
  const plain = text.trim().replace("−", "-").replace(",", ".");
  return /^[+-]?(\d+\.?\d*|\.\d+)$/.test(plain) ? Number(plain) : NaN;
};

window.sqrtdk = {softmax, jacobian, trace, weights, constant, pairs, crossed, facts, judge, readNumber};
