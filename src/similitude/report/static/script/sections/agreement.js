// Where measures agree: rank correlations, scatter plots, pairs with other ranks.

function drawAgreement() {
  const names = MEASURES.map((measure) => measure.label);
  const { correlations, pairs } = DATA.agreement;
  heatmap(byId("agreement-chart"), {
    rows: names, columns: names, tests: false, largest: 36,
    label: "Rank correlations of the measures",
    scale: { stops: DIVERGING, low: -1, high: 1, closer: true, words: ["opposite order", "same order"] },
    cell: (i, j) => (i === j || correlations[i][j] === null ? null : { value: correlations[i][j], mark: DISTINCT }),
    describe: (i, j) => [`${names[i]} - ${names[j]}`, i === j ? "the same measure" : correlations[i][j] === null ? "no rank correlation: too few common pairs" : `rank correlation ${correlations[i][j].toFixed(2)} over ${pairs[i][j]} pairs`],
    choose: (i, j) => i !== j && set({ first: i, second: j }),
    chosen: [state.first, state.second],
  });
  drawScatterOfPairs();
}

function commonPairs(first, second) {
  const found = [];
  for (const [key, row] of LOOKUP[first]) {
    const [a, b] = [Math.floor(key / K), key % K];
    const other = rowOf(second, a, b);
    const both = [value("score", row), value("score", other)];
    if ((a < b || MEASURES[first].directed) && both.every(Number.isFinite)) found.push({ a, b, x: both[0], y: both[1] });
  }
  return found;
}

function ranks(values) {
  const order = values.map((_, i) => i).sort((x, y) => values[x] - values[y]);
  const found = new Array(values.length);
  order.forEach((i, rank) => (found[i] = rank));
  return found;
}

function drawScatterOfPairs() {
  const [first, second] = [state.first, state.second];
  const points = commonPairs(first, second);
  const rho = DATA.agreement.correlations[first][second];
  const label = `${MEASURES[second].label} against ${MEASURES[first].label}: rank correlation ${rho === null ? "-" : rho.toFixed(2)}`;
  scatter(byId("scatter"), points, [MEASURES[first].label, MEASURES[second].label], label, (point) => [`${ITEMS.name[point.a]} - ${ITEMS.name[point.b]}`, `${MEASURES[first].label} ${number(point.x)}`, `${MEASURES[second].label} ${number(point.y)}`], (point) => set({ a: point.a, b: point.b, modelA: modelOf(point.a), modelB: modelOf(point.b) }));
  const holder = byId("disagree");
  holder.replaceChildren();
  if (points.length < 4) return;
  const side = (m, key) => ranks(points.map((point) => (MEASURES[m].kind === "similarity" ? -1 : 1) * point[key]));
  const [x, y] = [side(first, "x"), side(second, "y")];
  const order = points.map((_, i) => i).sort((i, j) => Math.abs(x[j] - y[j]) - Math.abs(x[i] - y[i]));
  add(holder, "p", { class: "small" }, `Pairs whose rank differs most (rank 1 of ${points.length}: the most similar pair):`);
  const list = add(holder, "ul", { class: "small" });
  for (const i of order.slice(0, 4)) {
    add(list, "li", {}, `${ITEMS.name[points[i].a]} - ${ITEMS.name[points[i].b]}: rank ${x[i] + 1} under ${MEASURES[first].label}, ${y[i] + 1} under ${MEASURES[second].label}`);
  }
}

// One path for all points, so that many pairs do not make many elements.
function scatter(holder, points, titles, label, describe, choose = null) {
  if (!points.length) {
    holder.textContent = "These measures have no pairs in common.";
    return;
  }
  const svg = canvas(holder, 460, 320, label);
  const [fromX, toXend] = extent(points.map((point) => point.x));
  const [fromY, toYend] = extent(points.map((point) => point.y));
  const [toX, toY] = axes(svg, { left: 60, right: 448, top: 26, bottom: 268 }, { low: fromX, high: toXend, title: short(titles[0], 40) }, { low: fromY, high: toYend, title: short(titles[1], 40) });
  const d = points.map((point) => `M${toX(point.x).toFixed(1)} ${toY(point.y).toFixed(1)}h0`).join("");
  add(svg, "path", { d, class: "dots", "stroke-width": points.length > 500 ? 3 : 7, "stroke-linecap": "round", opacity: points.length > 500 ? 0.4 : 0.75 });
  nearest(svg, points.map((point) => [toX(point.x), toY(point.y), () => describe(point)]), choose && ((i) => choose(points[i])));
}

function drawFunctional() {
  const [f, g] = [Number(byId("functional-measure").value), Number(byId("geometric-measure").value)];
  const points = modelPairs(f, g);
  scatter(byId("functional-chart"), points, [MEASURES[g].label, MEASURES[f].label], `${MEASURES[f].label} against ${MEASURES[g].label}`, (point) => [`${point.models[0]} - ${point.models[1]}`, `${MEASURES[g].label} ${number(point.x)}`, `${MEASURES[f].label} ${number(point.y)}`]);
  const table = element("table");
  const head = add(add(table, "thead"), "tr");
  for (const text of ["pair of models", MEASURES[g].label, MEASURES[f].label]) add(head, "th", { scope: "col" }, text);
  const body = add(table, "tbody");
  const sign = MEASURES[f].kind === "similarity" ? -1 : 1;
  const sorted = [...points].sort((p, q) => sign * (p.y - q.y));
  for (const point of sorted.slice(0, 12)) {
    const line = add(body, "tr");
    add(line, "th", { scope: "row" }, `${point.models[0]} - ${point.models[1]}`);
    for (const v of [point.x, point.y]) add(line, "td", { class: "n" }, number(v));
  }
  if (sorted.length > 12) add(table, "caption", {}, `The 12 most similar of ${sorted.length} pairs by ${MEASURES[f].label}`);
  byId("functional-table").replaceChildren(table);
}

function modelPairs(f, g) {
  const [outputs, points] = [itemsOf(f), itemsOf(g)];
  const models = [...new Set(outputs.map(modelOf))];
  const found = [];
  models.forEach((first, i) => {
    for (const second of models.slice(i + 1)) {
      const y = betweenModels(f, layersOf(first, outputs), layersOf(second, outputs), "score").value;
      const x = betweenModels(g, layersOf(first, points), layersOf(second, points), "score").value;
      if (Number.isFinite(x) && Number.isFinite(y)) found.push({ models: [first, second], x, y });
    }
  });
  return found;
}
