// All pairs of one measure: models against models, or representations.

function valueChoices(m) {
  const choices = [["score", "score"]];
  const has = (name) => COLUMNS[name] && [...LOOKUP[m].values()].some((row) => !Number.isNaN(COLUMNS[name][row]));
  if (has("calibrated")) choices.push(["calibrated", "calibrated (0: chance, 1: identity)"]);
  for (const name of ["null", ...DATA.baselines.map((one) => `baseline_${one}`)]) {
    if (has(name)) choices.push([`minus ${name}`, `score minus ${name.replace("baseline_", "")}`]);
  }
  return choices;
}

// The items in the order of the tree of average linkage, if it is asked for.
function ordered(m, items) {
  const tree = DATA.maps[m].tree;
  if (state.order !== "similar" || !tree) return items;
  const places = new Map(tree.order.map((leaf, i) => [DATA.maps[m].names[leaf], i]));
  return [...items].sort((x, y) => (places.get(x) ?? K) - (places.get(y) ?? K));
}

function drawMatrix() {
  const holder = byId("matrix-chart");
  const m = state.measure;
  const items = ordered(m, itemsOf(m));
  if (state.grouping === "models") return drawModels(holder, m, items);
  const values = [...LOOKUP[m].values()].map((row) => chosenValue(row, state.value));
  const splits = [];
  if (LAYERED && state.order === "given") {
    items.forEach((item, i) => {
      if (i && modelOf(item) !== modelOf(items[i - 1])) splits.push([i, true], [i, false]);
    });
  }
  const names = items.map((item) => ITEMS.name[item]);
  heatmap(holder, {
    rows: names, columns: names, splits,
    label: `${MEASURES[m].label} of all pairs`,
    scale: scaleOf(m, state.value, values),
    cell: (i, j) => {
      const row = rowOf(m, items[i], items[j]);
      return row < 0 ? null : { value: chosenValue(row, state.value), mark: COLUMNS.mark[row] };
    },
    describe: (i, j) => (i === j ? [names[i]] : describeRow(m, items[i], items[j])),
    choose: (i, j) => i !== j && set({ a: items[i], b: items[j], modelA: modelOf(items[i]), modelB: modelOf(items[j]) }),
    chosen: [items.indexOf(state.a), items.indexOf(state.b)],
  });
}

function drawModels(holder, m, items) {
  const models = [...new Set(items.map(modelOf))];
  const groups = models.map((model) => layersOf(model, items));
  const cells = groups.map((first) => groups.map((second) => (first === second ? null : betweenModels(m, first, second, state.value))));
  const scale = scaleOf(m, state.value, cells.flat().filter(Boolean).map((cell) => cell.value));
  heatmap(holder, {
    rows: models, columns: models, scale,
    label: `${MEASURES[m].label} of all pairs of models`,
    cell: (i, j) => cells[i][j],
    describe: (i, j) => {
      const cell = cells[i][j];
      if (!cell || !cell.rows.length) return [models[i] === models[j] ? models[i] : `${models[i]} - ${models[j]}: not compared`];
      if (cell.rows.length === 1) return describeRow(m, COLUMNS.a[cell.rows[0]], COLUMNS.b[cell.rows[0]]);
      const low = number(extent(cell.rows.map((row) => chosenValue(row, state.value)), 0)[0]);
      const high = number(extent(cell.rows.map((row) => chosenValue(row, state.value)), 0)[1]);
      return [`${models[i]} - ${models[j]}`, `${MEASURES[m].label}: mean ${number(cell.value)} of ${cell.rows.length} pairs of layers, ${low} to ${high}`, `${cell.chance} of them not distinguishable from chance`];
    },
    choose: (i, j) => {
      if (i === j) return;
      const rows = cells[i][j] ? cells[i][j].rows : [];
      const row = rows.length ? rows[rows.length - 1] : -1;
      const pair = row < 0 ? {} : { a: COLUMNS.a[row], b: COLUMNS.b[row] };
      set({ modelA: models[i], modelB: models[j], ...pair });
    },
    chosen: [models.indexOf(state.modelA), models.indexOf(state.modelB)],
  });
}
