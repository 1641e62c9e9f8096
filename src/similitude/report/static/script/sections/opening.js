// The picture next to the findings: training dynamics, the profile over depth, or the map.

// Means over pairs of equal layers of different models: [layer, rows], in the given order.
function profileRows(m) {
  const found = new Map();
  for (const row of new Set(LOOKUP[m].values())) {
    const [a, b] = [COLUMNS.a[row], COLUMNS.b[row]];
    const layer = ITEMS.layer[a];
    if (layer === null || layer !== ITEMS.layer[b] || modelOf(a) === modelOf(b) || Number.isNaN(value("score", row))) continue;
    found.set(layer, [...(found.get(layer) ?? []), row]);
  }
  return [...found].sort((x, y) => ITEMS.layer.indexOf(x[0]) - ITEMS.layer.indexOf(y[0]));
}

function drawProfile(holder, m, layers) {
  const mean = (name, rows) => rows.reduce((sum, row) => sum + value(name, row), 0) / rows.length;
  const lines = [["score", MEASURES[m].label], ...DATA.baselines.map((one) => [`baseline_${one}`, one])]
    .map(([name, words]) => [words, layers.map(([, rows]) => mean(name, rows))])
    .filter(([, means]) => means.some(Number.isFinite));
  const [low, high] = extent(lines.flatMap(([, means]) => means), 0.08);
  const svg = canvas(holder, 460, 290, byId("opening-title").textContent);
  const every = Math.ceil(layers.length / 16);
  const [toX, toY] = axes(svg, { left: 52, right: 450, top: 12, bottom: 216 }, {
    low: -0.3, high: layers.length - 0.7, slanted: true,
    ticks: layers.map((_, i) => i).filter((i) => i % every === 0), name: (i) => short(layers[i][0], 14),
  }, { low, high });
  lines.forEach(([words, means], k) => {
    const points = means.map((v, i) => [toX(i), toY(v)]).filter((point) => !Number.isNaN(point[1]));
    add(svg, "path", { d: `M${points.map((point) => point.join(" ")).join("L")}`, fill: "none", stroke: GROUPS[k], "stroke-width": k ? 1.5 : 2.5, "stroke-dasharray": k ? "5 4" : "none" });
    for (const [x, y] of points) add(svg, "circle", { cx: x, cy: y, r: k ? 2.5 : 4, fill: GROUPS[k] });
  });
  drawLegend(byId("opening-legend"), lines.map(([words], k) => [words, GROUPS[k], "circle"]));
  nearest(svg, layers.map(([layer, rows], i) => [toX(i), toY(lines[0][1][i]), [layer, ...lines.map(([words, means]) => `${words}: ${number(means[i])}`), `mean of ${rows.length} pairs`]]));
}

function drawSmallMap(holder, m) {
  const found = DATA.maps[m];
  const svg = canvas(holder, 460, 320, byId("opening-title").textContent);
  const reach = Math.max(0.2, ...found.y.map(Math.abs));
  const factor = Math.min(168, 138 / reach);
  const at = (i) => [230 + found.x[i] * factor, 160 - found.y[i] * factor];
  add(svg, "rect", { class: "grid", x: 0.5, y: 0.5, width: 459, height: 319 });
  found.names.forEach((_, i) => add(svg, "circle", { cx: at(i)[0], cy: at(i)[1], r: 5, fill: GROUPS[0], class: "point" }));
  placeNames(svg, found.names.map((item, i) => [...at(i), short(ITEMS.name[item], 22)]), 460, 320);
  nearest(svg, found.names.map((item, i) => [...at(i), () => mapLines(item)]));
}

function drawOpening() {
  const m = state.measure;
  const holder = byId("opening");
  const steps = byId("dynamics") ? linesToLast(m) : [];
  const layers = profileRows(m);
  const map = DATA.maps[m] && !DATA.maps[m].reason;
  const label = MEASURES[m].label;
  holder.parentElement.hidden = !(steps.length || layers.length > 1 || map);
  if (steps.length) {
    byId("opening-title").textContent = `Each checkpoint against the last one: ${label}`;
    drawSteps(holder, steps, (key) => GROUPS[steps.findIndex(([name]) => name === key) % GROUPS.length], label);
    drawLegend(byId("opening-legend"), steps.slice(0, 8).map(([key], k) => [key, GROUPS[k % GROUPS.length], "circle"]));
  } else if (layers.length > 1) {
    byId("opening-title").textContent = `Equal layers of different models, mean over pairs: ${label}`;
    drawProfile(holder, m, layers);
  } else if (map) {
    byId("opening-title").textContent = `Map: near points are similar under ${label}`;
    drawSmallMap(holder, m);
  }
}
