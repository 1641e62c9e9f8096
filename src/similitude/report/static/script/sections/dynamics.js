// Training dynamics: scores along the steps of checkpoints.

// The model without its step: checkpoints of one run may be models of their own.
function runOf(item) {
  const model = modelOf(item);
  if (STEPPED.has(model) || !model.endsWith(String(ITEMS.step[item]))) return model;
  const start = model.slice(0, model.length - String(ITEMS.step[item]).length);
  const run = start.replace(/[@:/_ -]+(step|epoch|iter)?[@:/_ =-]*$/, "");
  return run === start ? model : run;
}

const layerOfStep = (item) => ITEMS.layer[item] ?? "";

// One line per run and layer: the score of each step with the last step.
function linesToLast(m) {
  const groups = new Map();
  for (const item of itemsOf(m)) {
    if (ITEMS.step[item] === null) continue;
    const key = [runOf(item), layerOfStep(item)].filter(Boolean).join(" ");
    groups.set(key, [...(groups.get(key) ?? []), item]);
  }
  const lines = [];
  for (const [key, items] of groups) {
    items.sort((x, y) => ITEMS.step[x] - ITEMS.step[y]);
    const last = items[items.length - 1];
    const points = items.slice(0, -1).map((item) => [ITEMS.step[item], value("score", rowOf(m, item, last)), () => describeRow(m, item, last)]);
    lines.push([key, points.filter((point) => !Number.isNaN(point[1]))]);
  }
  return lines.filter(([, points]) => points.length);
}

// One line per layer: the mean score of different runs at equal steps.
function linesAtSteps(m) {
  const sums = new Map();
  for (const row of new Set(LOOKUP[m].values())) {
    const [a, b] = [COLUMNS.a[row], COLUMNS.b[row]];
    const equal = ITEMS.step[a] !== null && ITEMS.step[a] === ITEMS.step[b];
    if (!equal || runOf(a) === runOf(b) || layerOfStep(a) !== layerOfStep(b) || Number.isNaN(value("score", row))) continue;
    const key = layerOfStep(a) || "all runs";
    if (!sums.has(key)) sums.set(key, new Map());
    const [total, count] = sums.get(key).get(ITEMS.step[a]) ?? [0, 0];
    sums.get(key).set(ITEMS.step[a], [total + value("score", row), count + 1]);
  }
  return [...sums].map(([key, steps]) => [key, [...steps].sort((x, y) => x[0] - y[0]).map(([step, [total, count]]) => [step, total / count, () => [`${key}, step ${step}`, `mean ${number(total / count)} of ${count} pairs`]])]);
}

function drawDynamics() {
  const m = state.measure;
  const [first, second] = [linesToLast(m), linesAtSteps(m)];
  const layers = [...new Set([...first, ...second].map(([key]) => key))];
  const color = (key) => GROUPS[layers.indexOf(key) % GROUPS.length];
  drawSteps(byId("to-last"), first, color, `${MEASURES[m].label} with the last checkpoint`);
  byId("same-step").closest("figure").hidden = !second.length;
  drawSteps(byId("same-step"), second, color, `${MEASURES[m].label} between models at equal steps`);
  drawLegend(byId("dynamics-legend"), layers.slice(0, 40).map((key) => [key, color(key), "circle"]));
}

function drawSteps(holder, lines, color, label) {
  if (!lines.length) {
    holder.textContent = "The results hold no such pairs for this measure.";
    return;
  }
  const points = lines.flatMap(([, found]) => found);
  const [low, high] = extent(points.map((point) => point[1]));
  const [from, to] = extent(points.map((point) => point[0]), 0.02);
  const svg = canvas(holder, 460, 280, label);
  const [toX, toY] = axes(svg, { left: 52, right: 448, top: 24, bottom: 232 }, { low: from, high: to, title: "step" }, { low, high, title: label });
  for (const [key, found] of lines) {
    const d = `M${found.map(([step, score]) => `${toX(step)} ${toY(score)}`).join("L")}`;
    add(svg, "path", { d, fill: "none", stroke: color(key), "stroke-width": 1.8 });
    for (const [step, score] of found) add(svg, "circle", { cx: toX(step), cy: toY(score), r: 2.5, fill: color(key) });
  }
  nearest(svg, points.map(([step, score, words]) => [toX(step), toY(score), words]));
}
