// Layers of one model against layers of another, and curves along the layers.

function drawLayers() {
  const m = state.measure;
  const items = itemsOf(m);
  const [first, second] = [layersOf(state.modelA, items), layersOf(state.modelB, items)];
  const holder = byId("layers-chart");
  if (!first.length || !second.length) {
    holder.textContent = `${MEASURES[m].label} has no scores of these models.`;
    for (const id of ["same-layer", "best-layer", "same-layer-title", "best-layer-title"]) byId(id).replaceChildren();
    return;
  }
  const rows = first.flatMap((a) => second.map((b) => rowOf(m, a, b))).filter((row) => row >= 0);
  withBaseline(holder, second.length, (panel, choice, choices) => heatmap(panel, {
    rows: first.map(layerOf), columns: second.map(layerOf), tests: !isBaseline(choice),
    label: `${MEASURES[m].label} of layers of ${state.modelA} (rows) and ${state.modelB} (columns)`,
    scale: scaleOf(m, choice, rows.flatMap((row) => choices.map((one) => chosenValue(row, one)))),
    cell: (i, j) => {
      const row = rowOf(m, first[i], second[j]);
      return row < 0 ? null : { value: chosenValue(row, choice), mark: markOf(row, choice) };
    },
    describe: (i, j) => (first[i] === second[j] ? [ITEMS.name[first[i]]] : describeRow(m, first[i], second[j])),
    choose: (i, j) => first[i] !== second[j] && set({ a: first[i], b: second[j] }),
    chosen: [first.indexOf(state.a), second.indexOf(state.b)],
  }));
  drawSameLayer(m, first, second);
  drawBestLayer(m, first, second);
}

// Pairs along the depth: equal names, else equal positions, else neighbors of one model.
function alongDepth(first, second) {
  if (state.modelA === state.modelB) return first.slice(1).map((b, i) => [first[i], b, `${layerOf(first[i])} - ${layerOf(b)}`]);
  const named = first.map((a) => [a, second.find((b) => layerOf(b) === layerOf(a)), layerOf(a)]).filter((pair) => pair[1] !== undefined);
  if (named.length) return named;
  return first.slice(0, second.length).map((a, i) => [a, second[i], `${layerOf(a)} - ${layerOf(second[i])}`]);
}

function drawSameLayer(m, first, second) {
  const pairs = alongDepth(first, second);
  const within = state.modelA === state.modelB;
  byId("same-layer-title").textContent = within
    ? `Neighboring layers of ${state.modelA}: ${MEASURES[m].label}`
    : `Corresponding layers of ${state.modelA} and ${state.modelB}: ${MEASURES[m].label}`;
  const rows = pairs.map(([a, b]) => rowOf(m, a, b));
  const lines = [["score", "score"], ["null", "null"], ...DATA.baselines.map((one) => [`baseline_${one}`, one])]
    .filter(([name]) => rows.some((row) => !Number.isNaN(value(name, row))));
  const seen = lines.flatMap(([name]) => rows.map((row) => value(name, row)));
  const ends = ["low", "high"].flatMap((name) => rows.map((row) => value(name, row)));
  const [low, high] = extent([...seen, ...ends]);
  const svg = canvas(byId("same-layer"), 460, 300, byId("same-layer-title").textContent);
  const count = Math.max(1, pairs.length - 1);
  const step = Math.ceil(pairs.length / 16);
  const [toX, toY] = axes(svg, { left: 52, right: 450, top: 24, bottom: 216 }, {
    low: -0.3, high: count + 0.3, slanted: true,
    ticks: pairs.map((_, i) => i).filter((i) => i % step === 0), name: (i) => short(pairs[i][2], 14),
  }, { low, high });
  drawLegend(add(byId("same-layer"), "div", { class: "legend" }), lines.map(([, words], k) => [words, GROUPS[k], "circle"]));
  lines.forEach(([name], k) => {
    const points = rows.map((row, i) => [toX(i), toY(value(name, row))]).filter((point) => !Number.isNaN(point[1]));
    const color = GROUPS[k];
    add(svg, "path", { d: `M${points.map((point) => point.join(" ")).join("L")}`, fill: "none", stroke: color, "stroke-width": k ? 1.5 : 2.5, "stroke-dasharray": k ? "5 4" : "none" });
  });
  rows.forEach((row, i) => {
    if (Number.isNaN(value("score", row))) return;
    const y = toY(value("score", row));
    if (!Number.isNaN(value("low", row))) add(svg, "path", { class: "axis", d: `M${toX(i)} ${toY(value("low", row))}V${toY(value("high", row))}` });
    add(svg, "circle", { cx: toX(i), cy: y, r: 4, fill: COLUMNS.mark[row] === AT_CHANCE ? "#fff" : GROUPS[0], stroke: GROUPS[0] });
  });
  nearest(svg, rows.map((row, i) => [toX(i), toY(value("score", row)), describeRow(m, pairs[i][0], pairs[i][1])]));
}

// For each layer of the first model, the most similar layer of the second.
function drawBestLayer(m, first, second) {
  const sign = MEASURES[m].kind === "similarity" ? 1 : -1;
  byId("best-layer-title").textContent = `The layer of ${state.modelB} that is most similar to each layer of ${state.modelA}`;
  const best = first.map((a) => {
    let found = -1;
    second.forEach((b, j) => {
      const score = value("score", rowOf(m, a, b));
      if (!Number.isNaN(score) && (found < 0 || sign * score > sign * value("score", rowOf(m, a, second[found])))) found = j;
    });
    return found;
  });
  const svg = canvas(byId("best-layer"), 460, 300, byId("best-layer-title").textContent);
  const every = (names) => names.map((_, i) => i).filter((i) => i % Math.ceil(names.length / 16) === 0);
  const [toX, toY] = axes(svg, { left: 110, right: 450, top: 24, bottom: 216 }, {
    low: -0.3, high: first.length - 0.7, slanted: true, ticks: every(first), name: (i) => short(layerOf(first[i]), 14),
  }, { low: -0.3, high: second.length - 0.7, ticks: every(second), name: (j) => short(layerOf(second[j]), 16) });
  add(svg, "path", { class: "grid", "stroke-dasharray": "4 4", d: `M${toX(0)} ${toY(0)}L${toX(first.length - 1)} ${toY(second.length - 1)}` });
  const points = best.map((j, i) => [toX(i), toY(j), j]).filter((point) => point[2] >= 0);
  add(svg, "path", { d: `M${points.map((point) => `${point[0]} ${point[1]}`).join("L")}`, fill: "none", stroke: GROUPS[0], "stroke-width": 2 });
  for (const [x, y] of points) add(svg, "circle", { cx: x, cy: y, r: 4, fill: GROUPS[0] });
  nearest(svg, best.map((j, i) => [toX(i), toY(j), j < 0 ? [] : describeRow(m, first[i], second[j])]));
}

// Show the text of the nearest point under the pointer.
function nearest(svg, points, choose = null) {
  const find = (event) => {
    const [x, y] = place(svg, event);
    let found = -1;
    let best = 30 ** 2;
    points.forEach(([px, py], i) => {
      const apart = (px - x) ** 2 + (py - y) ** 2;
      if (apart < best) [found, best] = [i, apart];
    });
    return found;
  };
  svg.addEventListener("pointermove", (event) => {
    const found = find(event);
    if (found < 0) return hideTip();
    const lines = points[found][2];
    showTip(typeof lines === "function" ? lines() : lines, event);
  });
  svg.addEventListener("pointerleave", hideTip);
  if (choose) svg.addEventListener("click", (event) => find(event) >= 0 && choose(find(event)));
}
