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
  const m = state.measure;
  const items = ordered(m, itemsOf(m));
  const models = [...new Set(items.map(modelOf))];
  const grouped = state.grouping === "models";
  withBaseline(byId("matrix-chart"), (grouped ? models : items).length, (holder, choice, choices) => {
    if (grouped) drawModels(holder, { m, items, models, choice, choices });
    else drawItems(holder, { m, items, choice, choices });
  });
}

function drawItems(holder, { m, items, choice, choices }) {
  const values = [...LOOKUP[m].values()].flatMap((row) => choices.map((one) => chosenValue(row, one)));
  const splits = [];
  if (LAYERED && state.order === "given") {
    items.forEach((item, i) => {
      if (i && modelOf(item) !== modelOf(items[i - 1])) splits.push([i, true], [i, false]);
    });
  }
  const names = items.map((item) => ITEMS.name[item]);
  heatmap(holder, {
    rows: names, columns: names, splits, tests: !isBaseline(choice),
    label: `${MEASURES[m].label} of all pairs`,
    scale: scaleOf(m, choice, values),
    cell: (i, j) => {
      const row = rowOf(m, items[i], items[j]);
      return row < 0 ? null : { value: chosenValue(row, choice), mark: markOf(row, choice) };
    },
    describe: (i, j) => (i === j ? [names[i]] : describeRow(m, items[i], items[j])),
    choose: (i, j) => i !== j && set({ a: items[i], b: items[j], modelA: modelOf(items[i]), modelB: modelOf(items[j]) }),
    chosen: [items.indexOf(state.a), items.indexOf(state.b)],
  });
}

function drawModels(holder, { m, items, models, choice, choices }) {
  const groups = models.map((model) => layersOf(model, items));
  const between = (one) => groups.map((first) => groups.map((second) => (first === second ? null : betweenModels(m, first, second, one))));
  const cells = between(choice);
  const values = choices.flatMap((one) => between(one).flat().filter(Boolean).map((cell) => cell.value));
  heatmap(holder, {
    rows: models, columns: models, scale: scaleOf(m, choice, values), tests: !isBaseline(choice),
    label: `${MEASURES[m].label} of all pairs of models`,
    cell: (i, j) => cells[i][j] && { ...cells[i][j], mark: isBaseline(choice) ? DISTINCT : cells[i][j].mark },
    describe: (i, j) => {
      const cell = cells[i][j];
      if (!cell || !cell.rows.length) return [models[i] === models[j] ? models[i] : `${models[i]} - ${models[j]}: not compared`];
      if (cell.rows.length === 1) return describeRow(m, COLUMNS.a[cell.rows[0]], COLUMNS.b[cell.rows[0]]);
      const [low, high] = extent(cell.rows.map((row) => chosenValue(row, choice)), 0).map(number);
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
