// The map of the representations: metric multidimensional scaling.

function drawMap() {
  const m = state.measure;
  const found = DATA.maps[m];
  const holder = byId("map-chart");
  byId("map-words").textContent = found.reason ?? mapWords(found);
  if (found.reason) {
    for (const id of ["map-chart", "tree-chart", "map-legend"]) byId(id).replaceChildren();
    return;
  }
  const values = found.names.map((item) => (DATA.items.fields[state.field] ?? [])[item] ?? null);
  const code = coding(values);
  const [x, y] = [found.x, found.y];
  const reach = Math.max(0.2, ...y.map(Math.abs));
  const [width, height] = [480, Math.max(240, Math.min(480, 480 * reach))];
  const svg = canvas(holder, width, height, `Map of the representations under ${MEASURES[m].label}`);
  const factor = Math.min(width / 2 - 62, (height / 2 - 22) / reach);
  const at = (i) => [width / 2 + x[i] * factor, height / 2 - y[i] * factor];
  add(svg, "rect", { class: "grid", x: 0.5, y: 0.5, width: width - 1, height: height - 1 });
  if (LAYERED) {
    for (const model of MODELS) {
      const line = found.names.map((item, i) => [item, i]).filter(([item]) => modelOf(item) === model).map(([, i]) => at(i).join(" "));
      if (line.length > 1) add(svg, "path", { class: "axis", opacity: 0.5, d: `M${line.join("L")}` });
    }
  }
  found.names.forEach((item, i) => {
    const style = code.style(values[i]);
    add(svg, "path", { d: symbol(style.shape, ...at(i), 5), fill: style.color, class: "point" });
    if (item === state.a || item === state.b) add(svg, "circle", { class: "chosen", cx: at(i)[0], cy: at(i)[1], r: 8 });
  });
  placeNames(svg, found.names.map((item, i) => [...at(i), short(ITEMS.name[item], 22)]), width, height);
  nearest(svg, found.names.map((item, i) => [...at(i), () => mapLines(item)]), (i) => pickOnMap(found.names[i]));
  drawLegend(byId("map-legend"), code.legend);
  drawTree(found, code, values);
}

function mapWords(found) {
  const faithful = found.stress < 0.1 ? "the map is faithful" : found.stress < 0.2 ? "the map is approximate" : "the map is not faithful; rely on the matrix";
  const missing = found.missing ? ` ${found.missing} pairs without a score are left out.` : "";
  return `Near points are similar. Distances on the map approximate ${found.distance}: stress ${found.stress.toFixed(2)}, ${faithful}.${missing} The tree joins the most similar groups first (average linkage).`;
}

function mapLines(item) {
  const fields = Object.entries(DATA.items.fields).slice(0, 10).map(([name, column]) => `${name}: ${column[item] ?? "none"}`);
  return [ITEMS.name[item], ...fields];
}

// The first click chooses the second representation of the pair, as in the matrix.
function pickOnMap(item) {
  if (item === state.a || item === state.b) return;
  set({ a: state.b, b: item, modelA: modelOf(state.b), modelB: modelOf(item) });
}

// Write each name where it covers neither a point nor another name, or not at all.
function placeNames(svg, points, width, height) {
  if (points.length > 60) return;
  const taken = points.map(([x, y]) => [x - 5, y - 5, x + 5, y + 5]);
  const free = (box) => box[0] > 2 && box[1] > 2 && box[2] < width - 2 && box[3] < height - 2
    && taken.every((other) => box[2] < other[0] || box[0] > other[2] || box[3] < other[1] || box[1] > other[3]);
  for (const [x, y, name] of points) {
    const wide = 6.3 * name.length;
    const spots = [[x + 10, y + 4], [x - 10 - wide, y + 4], [x - wide / 2, y - 11], [x - wide / 2, y + 19]];
    for (const [left, base] of spots) {
      const box = [left, base - 10, left + wide, base + 3];
      if (!free(box)) continue;
      taken.push(box);
      add(svg, "text", { x: left, y: base, class: "halo" }, name);
      break;
    }
  }
}
