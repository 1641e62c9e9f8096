// A heat-map: one path per color level, so the number of elements does not grow with
// the number of cells. Marks: hatched, not distinguishable from chance; gray, no score.

// options: rows, columns (names), cell(i, j) -> {value, mark} or null, scale,
// describe(i, j) -> lines, label, choose(i, j), chosen [i, j], splits, numbers
function heatmap(holder, given) {
  const [n, m] = [given.rows.length, given.columns.length];
  const letters = (names) => Math.min(22, Math.max(...names.map((name) => name.length)));
  const left = 16 + 7.2 * letters(given.rows);
  const room = (holder.clientWidth || 900) - left - 8;
  const largest = Math.max(40, Math.min(96, 560 / Math.max(n, m))); // small grids use the width
  const size = Math.max(5, Math.min(given.largest ?? largest, Math.floor(room / m)));
  const font = Math.max(6, Math.min(size > 60 ? 13 : 11, size * 0.95));
  const top = 14 + 6.5 * letters(given.columns) * (font / 11);
  const svg = canvas(holder, left + m * size + 4, top + n * size + 4, given.label);
  drawNames(svg, given, { left, top, size, font });
  drawCells(svg, given, { left, top, size });
  const cursor = add(svg, "rect", { class: "cursor", width: size, height: size, visibility: "hidden" });
  if (given.chosen) {
    const [i, j] = given.chosen;
    if (i >= 0 && j >= 0) add(svg, "rect", { class: "chosen", x: left + j * size, y: top + i * size, width: size, height: size });
  }
  const readout = add(holder, "p", { class: "readout small", "aria-live": "polite" });
  const move = (i, j) => {
    cursor.setAttribute("x", left + j * size);
    cursor.setAttribute("y", top + i * size);
    cursor.setAttribute("visibility", "visible");
  };
  const at = (event) => {
    const [x, y] = place(svg, event);
    const [i, j] = [Math.floor((y - top) / size), Math.floor((x - left) / size)];
    return i >= 0 && i < n && j >= 0 && j < m ? [i, j] : null;
  };
  svg.addEventListener("pointermove", (event) => {
    const found = at(event);
    if (!found) return hideTip();
    move(...found);
    showTip(given.describe(...found), event);
  });
  svg.addEventListener("pointerleave", hideTip);
  svg.addEventListener("click", (event) => {
    const found = at(event);
    if (found && given.choose) given.choose(...found);
  });
  let [i, j] = given.chosen && given.chosen[0] >= 0 ? given.chosen : [0, 0];
  svg.setAttribute("tabindex", "0");
  svg.addEventListener("keydown", (event) => {
    const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    if (event.key === "Enter" && given.choose) given.choose(i, j);
    else if (steps[event.key]) {
      i = Math.min(n - 1, Math.max(0, i + steps[event.key][0]));
      j = Math.min(m - 1, Math.max(0, j + steps[event.key][1]));
      move(i, j);
      readout.textContent = given.describe(i, j).join("; ");
    } else return;
    event.preventDefault();
  });
  drawKey(holder, given);
  if (n * m <= MOST_VALUES) offerTable(holder, given);
}

// A small grid of scores leaves room for the grid of its first baseline, in equal colors.
function withBaseline(holder, columns, draw) {
  holder.replaceChildren();
  const rows = [...LOOKUP[state.measure].values()];
  const base = DATA.baselines.map((one) => `baseline_${one}`).find((name) => rows.some((row) => !Number.isNaN(value(name, row))));
  const both = state.value === "score" && base && columns <= 12;
  holder.className = both ? "side" : "chart";
  if (!both) return draw(holder, state.value, [state.value]);
  const panels = ["score", base].map((choice) => {
    const figure = add(holder, "figure");
    add(figure, "figcaption", {}, choice.replace("baseline_", ""));
    return [add(figure, "div", { class: "chart" }), choice];
  });
  for (const [panel, choice] of panels) draw(panel, choice, ["score", base]); // of equal widths
}

const MOST_VALUES = 900; // larger matrices are not offered as a table of numbers

// The same values as a table, made when it is opened.
function offerTable(holder, given) {
  const details = add(holder, "details");
  add(details, "summary", { class: "small" }, "Values as a table");
  details.addEventListener("toggle", () => {
    if (details.querySelector("table")) return;
    const table = add(add(details, "div", { class: "wide" }), "table");
    add(table, "caption", {}, given.label);
    const head = add(add(table, "thead"), "tr");
    for (const name of ["", ...given.columns]) add(head, "th", { scope: "col" }, name);
    const body = add(table, "tbody");
    given.rows.forEach((name, i) => {
      const line = add(body, "tr");
      add(line, "th", { scope: "row" }, name);
      given.columns.forEach((_, j) => {
        const cell = given.cell(i, j);
        const text = cell ? number(cell.value) + (cell.mark === AT_CHANCE ? " (chance)" : "") : "-";
        add(line, "td", { class: "n" }, text);
      });
    });
  });
}

function drawNames(svg, given, { left, top, size, font }) {
  const step = Math.ceil((font * 1.05) / size);
  const style = { "font-size": font };
  given.rows.forEach((name, i) => {
    if (i % step) return;
    const made = add(svg, "text", { x: left - 5, y: top + (i + 0.5) * size + font * 0.36, "text-anchor": "end", ...style }, short(name, 22));
    made.style.fontSize = `${font}px`;
  });
  given.columns.forEach((name, j) => {
    if (j % step) return;
    const x = left + (j + 0.5) * size + font * 0.36;
    const made = add(svg, "text", { x, y: top - 5, transform: `rotate(-90 ${x} ${top - 5})`, ...style }, short(name, 22));
    made.style.fontSize = `${font}px`;
  });
}

function drawCells(svg, given, { left, top, size }) {
  const [n, m] = [given.rows.length, given.columns.length];
  add(svg, "rect", { class: "void", x: left, y: top, width: m * size, height: n * size });
  const paths = new Map();
  const texts = [];
  let hatch = "";
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < m; j++) {
      const cell = given.cell(i, j);
      if (!cell || Number.isNaN(cell.value)) continue;
      const [x, y] = [left + j * size, top + i * size];
      const step = level(given.scale, cell.value);
      paths.set(step, `${paths.get(step) ?? ""}M${x} ${y}h${size}v${size}h${-size}Z`);
      if (cell.mark === AT_CHANCE) {
        const s = size;
        hatch += `M${x} ${y + s / 2}L${x + s / 2} ${y}M${x} ${y + s}L${x + s} ${y}M${x + s / 2} ${y + s}L${x + s} ${y + s / 2}`;
      } else if (size >= 28 && n * m <= 400) texts.push([x + size / 2, y + size / 2 + 4, cell.value, step]);
    }
  }
  for (const [step, d] of [...paths].sort((x, y) => x[0] - y[0])) {
    add(svg, "path", { d, fill: colorOf(given.scale, step) });
  }
  if (hatch) {
    add(svg, "path", { class: "hatch-back", d: hatch });
    add(svg, "path", { class: "hatch", d: hatch });
  }
  for (const [x, y, v, step] of texts) {
    const made = add(svg, "text", { x, y, "text-anchor": "middle" }, cellText(v));
    made.style.fill = isDark(colorOf(given.scale, step)) ? "#fff" : "#111";
    made.style.fontSize = `${Math.min(15, Math.max(10, size * 0.25))}px`;
  }
  for (const [i, across] of given.splits ?? []) {
    const d = across ? `M${left} ${top + i * size}h${m * size}` : `M${left + i * size} ${top}v${n * size}`;
    add(svg, "path", { class: "split", d });
  }
}

const cellText = (v) => (Math.abs(v) >= 100 ? v.toFixed(0) : Math.abs(v) >= 10 ? v.toFixed(1) : v.toFixed(2));

// The color bar with its ends in words, and the meaning of the marks.
function drawKey(holder, given) {
  const { scale } = given;
  const key = add(holder, "div", { class: "legend" });
  const bar = add(key, "span");
  bar.append(`${number(scale.low)} (${scale.words[0]}) `);
  const svg = add(bar, "svg", { width: 120, height: 12, viewBox: "0 0 120 12", "aria-hidden": "true" });
  for (let i = 0; i < 24; i++) {
    const v = scale.low + ((i + 0.5) / 24) * (scale.high - scale.low);
    add(svg, "rect", { x: i * 5, y: 0, width: 5.5, height: 12, fill: colorOf(scale, level(scale, v)) });
  }
  bar.append(`${number(scale.high)} (${scale.words[1]})`);
  if (given.tests === false) return;
  const mark = add(key, "span");
  if (TESTED) drawHatchKey(mark);
  else mark.append("no pair was tested against chance");
  const none = add(key, "span");
  const empty = add(none, "svg", { width: 14, height: 14, viewBox: "0 0 14 14", "aria-hidden": "true" });
  add(empty, "rect", { width: 14, height: 14, class: "void" });
  none.append("gray: no score");
}

function drawHatchKey(mark) {
  const box = add(mark, "svg", { width: 14, height: 14, viewBox: "0 0 14 14", "aria-hidden": "true" });
  add(box, "rect", { width: 14, height: 14, fill: "#a59c74" });
  add(box, "path", { class: "hatch", d: "M0 7L7 0M0 14L14 0M7 14L14 7" });
  mark.append("hatched: not distinguishable from chance (q ≥ 0.05)");
}
