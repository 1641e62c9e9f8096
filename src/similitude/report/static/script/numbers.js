// Numbers as text.

function number(x) {
  if (x === undefined || Number.isNaN(x)) return "-";
  if (!Number.isFinite(x)) return String(x);
  const size = Math.abs(x);
  if (size >= 1e6) return x.toExponential(3);
  const text = x.toFixed(size < 10 ? 3 : size < 100 ? 2 : size < 1000 ? 1 : 0);
  return Number(text) === 0 ? text.replace("-", "") : text;
}

function probability(x) {
  if (Number.isNaN(x)) return "-";
  if (x < 1e-6) return "< 1e-6";
  return x >= 0.001 ? x.toFixed(3) : x.toExponential(0);
}

function interval(row) {
  const [low, high] = [value("low", row), value("high", row)];
  return Number.isNaN(low) ? "-" : `[${number(low)}, ${number(high)}]`;
}

// Round steps between two ends, for the ticks of an axis.
function ticks(low, high, count = 5) {
  const rough = (high - low) / count || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((k) => k * power).find((k) => k >= rough);
  const found = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++) {
    found.push(Number((i * step).toPrecision(12)));
  }
  return found;
}

function short(text, longest) {
  if (text.length <= longest) return text;
  const half = Math.floor((longest - 1) / 2);
  return `${text.slice(0, longest - 1 - half)}~${text.slice(text.length - half)}`;
}

const TESTS = {
  [NOT_TESTED]: "not tested",
  [DISTINCT]: "differs from random pairing of rows",
  [AT_CHANCE]: "not distinguishable from chance",
  [TOO_FEW]: "smallest p possible; more permutations are needed",
};

// The lines about one row: score, interval, p, baselines.
function describeRow(m, a, b) {
  const row = rowOf(m, a, b);
  const lines = [`${ITEMS.name[a]} - ${ITEMS.name[b]}`];
  if (row < 0) return [...lines, "not compared"];
  lines.push(`${MEASURES[m].label}: ${number(value("score", row))}`);
  if (!Number.isNaN(value("low", row))) lines.push(`95 % CI ${interval(row)}`);
  const p = value("p", row);
  if (!Number.isNaN(p)) {
    lines.push(`p = ${probability(p)}, q = ${probability(value("q", row))}: ${TESTS[COLUMNS.mark[row]]}`);
  }
  for (const name of ["null", ...DATA.baselines.map((one) => `baseline_${one}`)]) {
    const found = value(name, row);
    if (!Number.isNaN(found)) lines.push(`${name.replace("baseline_", "")} ${number(found)}`);
  }
  if (!Number.isNaN(value("calibrated", row))) lines.push(`calibrated ${number(value("calibrated", row))}`);
  const pairs = value("pairs", row);
  lines.push(Number.isNaN(pairs) ? `n = ${COLUMNS.n[row].toLocaleString("en")}` : `mean of ${pairs} pairs`);
  if (remark(row)) lines.push(remark(row));
  return lines;
}
