// The chosen pair under all measures.

// Heading and text of each column of numbers that the results have.
function pairColumns() {
  const baselines = DATA.baselines.map((one) => [one, `baseline_${one}`]);
  const plain = (name) => (row) => number(value(name, row));
  return [
    ["score", "score", plain("score")],
    ["95 % CI", "low", interval],
    ["null", "null", plain("null")],
    ...baselines.map(([one, name]) => [one, name, plain(name)]),
    ["p", "p", (row) => probability(value("p", row))],
    ["q", "q", (row) => probability(value("q", row))],
  ].filter(([, name]) => COLUMNS[name]);
}

function drawPair() {
  const columns = pairColumns();
  const bars = Boolean(COLUMNS.calibrated);
  byId("bars-words").hidden = !bars;
  const table = element("table");
  add(table, "caption", {}, `${ITEMS.name[state.a]} and ${ITEMS.name[state.b]}`);
  const line = add(add(table, "thead"), "tr");
  const heads = ["measure", ...columns.map(([head]) => head), ...(bars ? ["calibrated"] : []), "n", "interpretation"];
  for (const head of heads) add(line, "th", { scope: "col" }, short(head, 24));
  const body = add(table, "tbody");
  MEASURES.forEach((measure, m) => {
    const row = rowOf(m, state.a, state.b);
    if (row < 0) return;
    const made = add(body, "tr");
    add(made, "th", { scope: "row" }, measure.label);
    for (const [, , text] of columns) add(made, "td", { class: "n" }, text(row));
    if (bars) add(made, "td").append(calibratedBar(value("calibrated", row)));
    add(made, "td", { class: "n" }, COLUMNS.n[row].toLocaleString("en"));
    const words = [measure.reading, COLUMNS.mark[row] === AT_CHANCE ? TESTS[AT_CHANCE] : "", remark(row)];
    add(made, "td", { class: "w" }, words.filter(Boolean).join("; "));
  });
  if (!body.childElementCount) add(add(body, "tr"), "td", { colspan: heads.length }, "This pair was not compared.");
  byId("pair-table").replaceChildren(table);
}

function calibratedBar(x) {
  if (Number.isNaN(x)) return document.createTextNode("-");
  const svg = element("svg", { width: 110, height: 14, viewBox: "0 0 110 14", role: "img", "aria-label": `calibrated ${number(x)}` });
  add(svg, "rect", { class: "void", x: 0, y: 2, width: 60, height: 10 });
  add(svg, "rect", { x: 0, y: 2, width: 60 * Math.min(1, Math.max(0, x)), height: 10, fill: GROUPS[0] });
  add(svg, "text", { x: 66, y: 11 }, number(x));
  return svg;
}
