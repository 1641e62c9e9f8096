// Files that the browser builds from the data of the page.

// A spreadsheet takes such text for a formula; an apostrophe in front prevents it.
const FORMULA = /^\s*[=+\-@\t\r\n＝＋－＠]/;

function csvCell(cell) {
  if (typeof cell === "number") return Number.isNaN(cell) ? "" : String(cell);
  const safe = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const NUMBERS = ["score", "low", "high", "null", "p", "q", ...DATA.baselines.map((name) => `baseline_${name}`), "calibrated", "pairs"];

function table() {
  const columns = NUMBERS.filter((name) => COLUMNS[name]);
  const lines = [];
  for (let row = 0; row < ROWS; row++) {
    const line = {
      a: ITEMS.name[COLUMNS.a[row]], b: ITEMS.name[COLUMNS.b[row]],
      measure: MEASURES[COLUMNS.measure[row]].label,
    };
    for (const name of columns) line[name] = COLUMNS[name][row];
    line.n = COLUMNS.n[row];
    line.test = TESTS[COLUMNS.mark[row]];
    line.remarks = remark(row);
    lines.push(line);
  }
  return lines;
}

function csvText() {
  const lines = table();
  const heads = Object.keys(lines[0] ?? { a: "", b: "", measure: "" });
  return [heads, ...lines.map((line) => Object.values(line))].map((line) => line.map(csvCell).join(",")).join("\r\n") + "\r\n";
}

function jsonText() {
  const plain = (_, v) => (typeof v === "number" && !Number.isFinite(v) ? (Number.isNaN(v) ? null : String(v)) : v);
  return JSON.stringify({ schema: 1, rows: table(), aggregated: DATA.aggregated || null }, plain, 1);
}

function download(name, kind, text) {
  const link = element("a", { download: name });
  link.href = URL.createObjectURL(new Blob([text], { type: kind }));
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

function connectDownloads() {
  byId("download-csv").addEventListener("click", () => download("scores.csv", "text/csv", csvText()));
  byId("download-json").addEventListener("click", () => download("scores.json", "application/json", jsonText()));
  const copy = byId("copy-bibtex");
  if (!copy) return;
  copy.addEventListener("click", () => {
    getSelection().selectAllChildren(byId("bibtex"));
    document.execCommand("copy"); // navigator.clipboard is not available in local files
    copy.textContent = "Copied";
  });
}
