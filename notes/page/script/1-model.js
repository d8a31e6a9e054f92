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

const DIVISORS = {1: () => 1, sqrt: d => Math.sqrt(d), d: d => d};
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

// A number as people type it: with a decimal point or comma, a hyphen or a minus. NaN for anything else.
const readNumber = text => {
  const plain = text.trim().replace("−", "-").replace(",", ".");
  return /^[+-]?(\d+\.?\d*|\.\d+)$/.test(plain) ? Number(plain) : NaN;
};

window.sqrtdk = {softmax, jacobian, trace, weights, constant, pairs, readNumber};
