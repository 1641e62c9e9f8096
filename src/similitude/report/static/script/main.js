// The state of the page: what is chosen, and which sections follow it.

const state = { measure: 0, value: "score", grouping: "items", order: "given", field: null, a: 0, b: 1, modelA: null, modelB: null, first: 0, second: 1, stimulus: null };

// section -> the choices that it follows, and the function that draws it
const VIEWS = {
  opening: [["measure"], drawOpening],
  matrix: [["measure", "value", "grouping", "order", "a", "b"], drawMatrix],
  layers: [["measure", "value", "a", "b", "modelA", "modelB"], drawLayers],
  map: [["measure", "field", "a", "b"], drawMap],
  dynamics: [["measure"], drawDynamics],
  pair: [["a", "b"], drawPair],
  topology: [["a", "b", "measure"], drawTopology],
  agreement: [["first", "second"], drawAgreement],
  functional: [["functional"], drawFunctional],
  stimuli: [["stimulus"], drawStimuli],
};

function set(change) {
  Object.assign(state, change);
  if (!valueChoices(state.measure).some(([key]) => key === state.value)) state.value = "score";
  drawControls();
  for (const [id, [keys, draw]] of Object.entries(VIEWS)) {
    if (byId(id) && keys.some((key) => key in change)) draw();
  }
  keepChoices();
}

function drawControls() {
  options(byId("measure"), MEASURES.map((measure, m) => [m, measure.label]), state.measure);
  options(byId("value"), valueChoices(state.measure), state.value);
  const measure = MEASURES[state.measure];
  byId("reading").textContent = measure.reading;
  const value = valueChoices(state.measure).find(([key]) => key === state.value)[1];
  for (const made of document.querySelectorAll(".shown")) made.textContent = `${measure.label}, ${value}: ${measure.reading}.`;
  for (const [id, item] of [["pair-a", state.a], ["pair-b", state.b]]) {
    options(byId(id), ITEMS.name.map((name, i) => [i, name]), item);
  }
  if (byId("model-a")) {
    for (const [id, model] of [["model-a", state.modelA], ["model-b", state.modelB]]) {
      options(byId(id), MODELS.map((name, i) => [i, name]), MODELS.indexOf(model));
    }
  }
}

function connect(id, change) {
  const select = byId(id);
  if (select) select.addEventListener("change", () => set(change(select.value)));
}

function choosePair(a, b) {
  Object.assign(state, { a, b, modelA: modelOf(a), modelB: modelOf(b) });
}

// The first pair of equal layers of different models, or the first of different models.
function firstPair() {
  let found = 0;
  for (let row = ROWS - 1; row >= 0; row--) {
    const [a, b] = [COLUMNS.a[row], COLUMNS.b[row]];
    if (modelOf(a) !== modelOf(b) && layerOf(a) === layerOf(b)) found = row;
  }
  for (let row = 0; row < ROWS && modelOf(COLUMNS.a[found]) === modelOf(COLUMNS.b[found]); row++) {
    if (modelOf(COLUMNS.a[row]) !== modelOf(COLUMNS.b[row])) found = row;
  }
  return found;
}

function start() {
  connectDownloads();
  reloadWhileRunning();
  connectStimuli();
  if (!ROWS) return;
  const first = firstPair();
  choosePair(COLUMNS.a[first], COLUMNS.b[first]);
  const fields = Object.keys(ITEMS.fields);
  const few = (name) => new Set(ITEMS.fields[name]).size <= GROUPS.length;
  state.field = fields.find(few) ?? fields[0] ?? null;
  if (LAYERED && MODELS.length > 2) state.grouping = "models";
  state.stimulus = STIMULI.table ? STIMULI.table[0] : null;
  restoreChoices();
  if (byId("grouping")) {
    options(byId("grouping"), LAYERED ? [["models", "models (mean over equal layers)"], ["items", "all representations"]] : [["items", "representations"]], state.grouping);
    byId("grouping-label").hidden = !LAYERED || MODELS.length < 3;
  }
  if (byId("order")) byId("order").value = state.order;
  if (byId("field")) options(byId("field"), fields.map((name) => [name, name]), state.field);
  const kinds = (functional) => MEASURES.map((measure, m) => [m, measure.label]).filter(([m]) => MEASURES[m].functional === functional);
  if (byId("functional")) {
    options(byId("functional-measure"), kinds(true));
    options(byId("geometric-measure"), kinds(false));
    for (const id of ["functional-measure", "geometric-measure"]) connect(id, () => ({ functional: true }));
  }
  connect("measure", (m) => ({ measure: Number(m) }));
  connect("value", (key) => ({ value: key }));
  connect("grouping", (key) => ({ grouping: key }));
  connect("order", (key) => ({ order: key }));
  connect("field", (key) => ({ field: key }));
  connect("pair-a", (i) => ({ a: Number(i) }));
  connect("pair-b", (i) => ({ b: Number(i) }));
  connect("model-a", (i) => ({ modelA: MODELS[i] }));
  connect("model-b", (i) => ({ modelB: MODELS[i] }));
  byId("controls").addEventListener("submit", (event) => event.preventDefault());
  set({ ...state, functional: true });
  restorePlace();
}

start();
