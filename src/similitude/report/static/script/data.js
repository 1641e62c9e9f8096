// The data of the page, and the rows of each measure.

const DATA = JSON.parse(document.getElementById("data").textContent);
const ITEMS = DATA.items;
const MEASURES = DATA.measures;
const K = ITEMS.name.length;

// Numbers are little-endian bytes in base64; see _columns.py.
function decoded(text, Kind) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return new Kind(bytes.buffer);
}

const WHOLE = new Set(["measure", "a", "b", "n", "mark", "text"]);
const COLUMNS = {};
for (const [name, value] of Object.entries(DATA.columns)) {
  if (typeof value === "string") {
    COLUMNS[name] = decoded(value, WHOLE.has(name) ? Int32Array : Float64Array);
  }
}
const ROWS = DATA.columns.count;
const [NOT_TESTED, DISTINCT, AT_CHANCE, TOO_FEW] = [0, 1, 2, 3];
const TESTED = (COLUMNS.mark ?? []).some((mark) => mark !== NOT_TESTED);

// measure -> a * K + b -> row; both orders unless both directions were computed
const LOOKUP = MEASURES.map(() => new Map());
for (let row = 0; row < ROWS; row++) {
  const [m, a, b] = [COLUMNS.measure[row], COLUMNS.a[row], COLUMNS.b[row]];
  LOOKUP[m].set(a * K + b, row);
  if (!MEASURES[m].directed) LOOKUP[m].set(b * K + a, row);
}

function rowOf(m, a, b) {
  const row = LOOKUP[m].get(a * K + b);
  return row === undefined ? -1 : row;
}

function itemsOf(m) {
  const found = new Set();
  for (let row = 0; row < ROWS; row++) {
    if (COLUMNS.measure[row] === m) found.add(COLUMNS.a[row]).add(COLUMNS.b[row]);
  }
  return [...found].sort((x, y) => x - y);
}

function value(name, row) {
  const column = COLUMNS[name];
  return column === undefined || row < 0 ? NaN : column[row];
}

// The chosen value of a row: a column, or the score minus a baseline.
function chosenValue(row, choice) {
  if (!choice.startsWith("minus ")) return value(choice, row);
  return value("score", row) - value(choice.slice(6), row);
}

// Marks are about the score, not about its baseline.
const isBaseline = (choice) => choice.startsWith("baseline_");
const markOf = (row, choice) => (isBaseline(choice) ? DISTINCT : COLUMNS.mark[row]);

function remark(row) {
  return row < 0 ? "" : DATA.columns.texts[COLUMNS.text[row]];
}

const modelOf = (item) => ITEMS.model[item] ?? ITEMS.name[item];
const MODELS = [...new Set(ITEMS.name.map((_, item) => modelOf(item)))];
const LAYERED = MODELS.length < K;

// A model with several checkpoints has several layers of one name.
const STEPPED = new Set(MODELS.filter((model) => {
  const steps = ITEMS.step.filter((step, item) => step !== null && modelOf(item) === model);
  return new Set(steps).size > 1;
}));

function layerOf(item) {
  const name = ITEMS.layer[item] ?? ITEMS.name[item];
  return STEPPED.has(modelOf(item)) && ITEMS.layer[item] !== null ? `${name} @ ${ITEMS.step[item]}` : name;
}

function layersOf(model, items) {
  return items.filter((item) => modelOf(item) === model);
}

// The mean of a value over equal layers of two models, or over all pairs of layers.
function betweenModels(m, first, second, choice) {
  const all = [];
  const equal = [];
  for (const a of first) {
    for (const b of second) {
      const row = rowOf(m, a, b);
      if (row < 0 || Number.isNaN(chosenValue(row, choice))) continue;
      all.push(row);
      if (ITEMS.layer[a] !== null && layerOf(a) === layerOf(b)) equal.push(row);
    }
  }
  const rows = equal.length ? equal : all;
  const total = rows.reduce((sum, row) => sum + chosenValue(row, choice), 0);
  const tested = rows.filter((row) => COLUMNS.mark[row] !== NOT_TESTED);
  const chance = rows.filter((row) => COLUMNS.mark[row] === AT_CHANCE);
  let mark = tested.length ? DISTINCT : NOT_TESTED;
  if (tested.length && chance.length === tested.length) mark = AT_CHANCE;
  return { value: rows.length ? total / rows.length : NaN, rows, mark, chance: chance.length };
}
