// The chosen pair under all measures.

function drawPair() {
  const holder = byId("pair-table");
  const table = element("table");
  add(table, "caption", {}, `${ITEMS.name[state.a]} and ${ITEMS.name[state.b]}`);
  const baselines = DATA.baselines.filter((one) => COLUMNS[`baseline_${one}`]);
  const heads = ["measure", "score", "95 % CI", "null", ...baselines, "p", "q", "calibrated", "n", "interpretation"];
  const line = add(add(table, "thead"), "tr");
  for (const head of heads) add(line, "th", { scope: "col" }, short(head, 24));
  const body = add(table, "tbody");
  MEASURES.forEach((measure, m) => {
    const row = rowOf(m, state.a, state.b);
    if (row < 0) return;
    const made = add(body, "tr");
    add(made, "th", { scope: "row" }, measure.label);
    const cells = [number(value("score", row)), interval(row), number(value("null", row)), ...baselines.map((one) => number(value(`baseline_${one}`, row))), probability(value("p", row)), probability(value("q", row))];
    for (const text of cells) add(made, "td", { class: "n" }, text);
    add(made, "td").append(calibratedBar(value("calibrated", row)));
    add(made, "td", { class: "n" }, COLUMNS.n[row].toLocaleString("en"));
    const words = [measure.reading, COLUMNS.mark[row] === AT_CHANCE ? TESTS[AT_CHANCE] : "", remark(row)];
    add(made, "td", { class: "w" }, words.filter(Boolean).join("; "));
  });
  if (!body.childElementCount) add(add(body, "tr"), "td", { colspan: heads.length }, "This pair was not compared.");
  holder.replaceChildren(table);
}

function calibratedBar(x) {
  if (Number.isNaN(x)) return document.createTextNode("-");
  const svg = element("svg", { width: 110, height: 14, viewBox: "0 0 110 14", role: "img", "aria-label": `calibrated ${number(x)}` });
  add(svg, "rect", { class: "void", x: 0, y: 2, width: 60, height: 10 });
  add(svg, "rect", { x: 0, y: 2, width: 60 * Math.min(1, Math.max(0, x)), height: 10, fill: GROUPS[0] });
  add(svg, "text", { x: 66, y: 11 }, number(x));
  return svg;
}
