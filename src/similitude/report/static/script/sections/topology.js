// Topology of the chosen pair: R-Cross-Barcodes, and their parts from trees and loops.

const MOST_BARS = 400; // of one direction; shorter ones are left out and counted

function topologyRows() {
  return MEASURES.map((_, m) => rowOf(m, state.a, state.b)).filter((row) => row >= 0 && DATA.topology.rows[row]);
}

function drawTopology() {
  const rows = topologyRows();
  const words = byId("topology-words");
  for (const id of ["topology-parts", "bars-xy", "bars-yx", "bars-xy-title", "bars-yx-title"]) byId(id).replaceChildren();
  if (!rows.length) {
    words.textContent = `The results hold no topological score of ${ITEMS.name[state.a]} and ${ITEMS.name[state.b]}. Choose another pair.`;
    return;
  }
  const own = rows.find((row) => COLUMNS.measure[row] === state.measure);
  const row = own ?? rows.find((one) => Object.keys(DATA.topology.rows[one].bars).length) ?? rows[0];
  const found = DATA.topology.rows[row];
  drawParts(rows);
  const [a, b] = [ITEMS.name[COLUMNS.a[row]], ITEMS.name[COLUMNS.b[row]]];
  const directions = Object.entries(found.bars);
  words.textContent = `${a} and ${b}. ${topologyWords(row, found, directions)}`;
  const ends = directions.map(([, text]) => decoded(text, Float32Array)).flatMap((bars) => [...bars]).filter(Number.isFinite);
  const [, last] = extent([0, ...ends], 0.03);
  const places = { x_to_y: ["bars-xy", `${b} has features where ${a} lacks them`], y_to_x: ["bars-yx", `${a} has features where ${b} lacks them`], bars: ["bars-xy", "Both representations"] };
  for (const [direction, text] of directions) {
    const [id, title] = places[direction];
    drawBars(byId(id), byId(`${id}-title`), title, decoded(text, Float32Array), last);
  }
}

function topologyWords(row, found, directions) {
  const label = MEASURES[COLUMNS.measure[row]].label;
  const [batch, batches] = found.batch;
  if (!directions.length) {
    const damaged = "Some stored barcodes are damaged; run the same comparison with this folder again.";
    const why = DATA.topology.damaged ? damaged : DATA.topology.left_out ? "This page leaves out the bars of some pairs to stay small." : "A run stores the bars of its first 200 pairs, if it has a results folder.";
    return `The results hold the parts of ${label}, but this page has no bars of this pair. ${why}`;
  }
  const which = batches > 1 ? ` Bars of the first of ${batches} batches of ${batch} points.` : "";
  return `${label}: each bar is a feature, groups that merge or loops that fill, from its birth to its death.${which}`;
}

// The length of all bars, divided into spanning trees (merges) and loops.
function drawParts(rows) {
  const entries = rows.map((row) => [MEASURES[COLUMNS.measure[row]].label, DATA.topology.rows[row]]);
  const most = Math.max(...entries.map(([, found]) => found.mst_part + (found.loop_part ?? 0))) || 1;
  const svg = canvas(byId("topology-parts"), 700, 26 * entries.length + 24, "Length of bars from trees and from loops");
  entries.forEach(([label, found], i) => {
    const y = 24 + 26 * i;
    const loops = Math.max(0, found.loop_part ?? 0);
    const tree = Math.max(0, found.mst_part);
    const share = tree + loops > 0 ? Math.round((100 * loops) / (tree + loops)) : 0;
    add(svg, "text", { x: 130, y: y + 14, "text-anchor": "end" }, short(label, 20));
    add(svg, "rect", { x: 138, y, width: (tree / most) * 330, height: 18, fill: GROUPS[0] });
    add(svg, "rect", { x: 138 + (tree / most) * 330, y, width: (loops / most) * 330, height: 18, fill: GROUPS[1] });
    add(svg, "text", { x: 146 + ((tree + loops) / most) * 330, y: y + 14 }, `${number(tree)} trees, ${number(loops)} loops (${share} %)`);
  });
  add(svg, "text", { x: 138, y: 13 }, "tree part: merges").style.fill = GROUPS[0];
  add(svg, "text", { x: 260, y: 13 }, "loop part").style.fill = GROUPS[1];
}

function drawBars(holder, heading, title, bars, last) {
  const count = bars.length / 2;
  const shown = Math.min(count, MOST_BARS);
  const left = count - shown ? `, the longest ${shown} of ${count}` : ` (${count})`;
  heading.textContent = `${title}: bars${left}`;
  const svg = canvas(holder, 460, 260, heading.textContent);
  const [toX] = axes(svg, { left: 20, right: 448, top: 10, bottom: 220 }, { low: 0, high: last, title: "scale (distance)" }, { low: 0, high: 1, ticks: [] });
  const step = 208 / Math.max(shown, 1);
  let d = "";
  for (let i = 0; i < shown; i++) {
    const end = Number.isFinite(bars[2 * i + 1]) ? bars[2 * i + 1] : last;
    d += `M${toX(bars[2 * i]).toFixed(1)} ${(218 - (i + 0.5) * step).toFixed(1)}H${toX(end).toFixed(1)}`;
  }
  if (d) add(svg, "path", { d, stroke: GROUPS[0], "stroke-width": Math.max(0.5, Math.min(6, 0.7 * step)) });
  else add(svg, "text", { x: 200, y: 110 }, "no bars");
}
