// The stimuli of one pair: maps of both networks, and the neighbors of a stimulus.

const STIMULI = DATA.stimuli;

function drawStimuli() {
  const chosen = state.stimulus;
  ["stimuli-a", "stimuli-b"].forEach((id, side) => {
    const view = STIMULI.views[side];
    if (view) drawStimuliMap(byId(id), view, STIMULI.pair[side], chosen);
  });
  const color = (g) => GROUPS[g % GROUPS.length];
  const legend = STIMULI.groups.map((one, g) => [`group ${g + 1}: ${one.size} near in ${one.near}`, color(g), "circle"]);
  drawLegend(byId("stimuli-legend"), legend);
  showStimulus(chosen);
}

function drawStimuliMap(holder, view, name, chosen) {
  const [width, height] = [480, 360];
  const svg = canvas(holder, width, height, `Map of the stimuli in ${name}`);
  const [x, y] = [extent(view.x), extent(view.y)];
  const at = (i) => [
    ((view.x[i] - x[0]) / (x[1] - x[0])) * width,
    height - ((view.y[i] - y[0]) / (y[1] - y[0])) * height,
  ];
  add(svg, "rect", { class: "grid", x: 0.5, y: 0.5, width: width - 1, height: height - 1 });
  const order = view.x.map((_, i) => i).sort((i, j) => STIMULI.group[i] - STIMULI.group[j]);
  for (const i of order) {
    const g = STIMULI.group[i];
    const fill = g < 0 ? "var(--soft)" : GROUPS[g % GROUPS.length];
    add(svg, "circle", { cx: at(i)[0], cy: at(i)[1], r: g < 0 ? 2.5 : 4.5, fill, opacity: g < 0 ? 0.5 : 1, class: "point" });
  }
  for (const i of chosen === null ? [] : [chosen, ...view.neighbors[chosen]]) {
    add(svg, "circle", { class: i === chosen ? "chosen" : "cursor", cx: at(i)[0], cy: at(i)[1], r: i === chosen ? 9 : 6 });
  }
  nearest(svg, view.x.map((_, i) => [...at(i), () => stimulusLines(i)]), (i) => set({ stimulus: i }));
}

function stimulusLines(i) {
  const lines = [STIMULI.ids[i], `${STIMULI.measure}: ${number(STIMULI.scores[i])}`];
  if (STIMULI.moved) lines.push(`moved, q = ${probability(STIMULI.moved[i])}`);
  return STIMULI.texts[i] ? [...lines, STIMULI.texts[i]] : lines;
}

// A stimulus as its picture, if there is one, and its name and text.
function stimulusItem(i) {
  const made = element("li");
  const picture = STIMULI.pictures[i];
  if (picture) add(made, "img", { src: picture, alt: "" });
  add(made, "span", {}, ` ${short([STIMULI.ids[i], STIMULI.texts[i]].filter(Boolean).join(": "), 90)}`);
  return made;
}

function showStimulus(i) {
  const holder = byId("stimulus");
  holder.replaceChildren();
  if (i === null) return;
  add(holder, "h3", {}, `${STIMULI.ids[i]}, ${STIMULI.measure} ${number(STIMULI.scores[i])}`);
  if (STIMULI.texts[i]) add(holder, "p", {}, STIMULI.texts[i]);
  const side = add(holder, "div", { class: "side" });
  STIMULI.views.forEach((view, k) => {
    const other = new Set(STIMULI.views[1 - k].neighbors[i]);
    const figure = add(side, "figure", {});
    const shared = view.neighbors[i].filter((j) => other.has(j)).length;
    add(figure, "figcaption", {}, `Nearest in ${STIMULI.pair[k]} (${shared} of ${view.neighbors[i].length} also in the other)`);
    const list = add(figure, "ol", { class: "neighbors" });
    for (const j of view.neighbors[i]) {
      const item = stimulusItem(j);
      if (other.has(j)) item.className = "both";
      list.append(item);
    }
  });
}

function connectStimuli() {
  if (!byId("stimuli")) return;
  for (const button of document.querySelectorAll("#stimuli-table button")) {
    button.addEventListener("click", () => set({ stimulus: Number(button.dataset.row) }));
  }
}
