// The state of the page: what is chosen, and which sections follow it.

const state = { measure: 0, value: "score", grouping: "items", order: "given", field: null, a: 0, b: 1, modelA: null, modelB: null, first: 0, second: 1 };

// section -> the choices that it follows, and the function that draws it
const VIEWS = {
  matrix: [["measure", "value", "grouping", "order", "a", "b"], drawMatrix],
  layers: [["measure", "value", "a", "b", "modelA", "modelB"], drawLayers],
  map: [["measure", "field", "a", "b"], drawMap],
  dynamics: [["measure"], drawDynamics],
  pair: [["a", "b"], drawPair],
  topology: [["a", "b", "measure"], drawTopology],
  agreement: [["first", "second"], drawAgreement],
  functional: [["functional"], drawFunctional],
};

function set(change) {
  Object.assign(state, change);
  if (!valueChoices(state.measure).some(([key]) => key === state.value)) state.value = "score";
  drawControls();
  for (const [id, [keys, draw]] of Object.entries(VIEWS)) {
    if (byId(id) && keys.some((key) => key in change)) draw();
  }
  sessionStore(JSON.stringify(state));
}

function drawControls() {
  options(byId("measure"), MEASURES.map((measure, m) => [m, measure.label]), state.measure);
  options(byId("value"), valueChoices(state.measure), state.value);
  const measure = MEASURES[state.measure];
  byId("reading").textContent = measure.reading;
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

function start() {
  connectDownloads();
  connectLive();
  if (!ROWS) return;
  const first = [COLUMNS.a[0], COLUMNS.b[0]];
  Object.assign(state, { a: first[0], b: first[1], modelA: modelOf(first[0]), modelB: modelOf(first[1]) });
  if (LAYERED && state.modelA === state.modelB && MODELS.length > 1) [state.modelA, state.modelB] = MODELS;
  const fields = Object.keys(ITEMS.fields);
  state.field = fields[0] ?? null;
  if (LAYERED && MODELS.length > 2) state.grouping = "models";
  Object.assign(state, restored());
  if (byId("grouping")) {
    options(byId("grouping"), LAYERED ? [["models", "models (mean over equal layers)"], ["items", "all representations"]] : [["items", "representations"]], state.grouping);
    byId("grouping-label").hidden = !LAYERED || MODELS.length < 3;
  }
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
}

// While a comparison runs, ask for its state, and reload the page if it has changed.
// The choices survive in the storage of this tab.
function sessionStore(text) {
  if (DATA.live) sessionStorage.setItem("state", text);
}

function restored() {
  if (!DATA.live) return {};
  const found = JSON.parse(sessionStorage.getItem("state") ?? "{}");
  const known = ["value", "grouping", "order", "field"];
  return Object.fromEntries(known.filter((key) => key in found).map((key) => [key, found[key]]).concat(found.measure < MEASURES.length ? [["measure", found.measure]] : []));
}

function connectLive() {
  if (!DATA.live) return;
  byId("live").hidden = false;
  const ask = async () => {
    try {
      const answer = await (await fetch("/state")).json();
      byId("live").textContent = answer.words;
      if (answer.state !== DATA.live) return location.reload();
    } catch {
      byId("live").textContent = "The server has stopped; this page shows the last state.";
    }
    setTimeout(ask, 1000);
  };
  ask();
}

start();
