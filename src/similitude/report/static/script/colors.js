// Colors: cividis for scores, blue to orange for differences, Okabe and Ito for groups.

const SEQUENCE = ["#fee838", "#e1cc55", "#c3b369", "#a59c74", "#8a8678", "#707173", "#575d6d", "#3b496c", "#123570", "#00224e"];
const DIVERGING = ["#b35806", "#e08214", "#fdb863", "#fee0b6", "#f7f7f7", "#d1e5f0", "#92c5de", "#4393c3", "#2166ac"];
const GROUPS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#8a6d3b", "#7a7a7a"];
const SHAPES = ["circle", "triangle", "square", "diamond"];
const LEVELS = 48;

function mixed(stops, t) {
  const at = Math.min(Math.max(t, 0), 1) * (stops.length - 1);
  const i = Math.min(Math.floor(at), stops.length - 2);
  const part = (hex, k) => parseInt(hex.slice(1 + 2 * k, 3 + 2 * k), 16);
  const mix = [0, 1, 2].map((k) => Math.round(part(stops[i], k) + (at - i) * (part(stops[i + 1], k) - part(stops[i], k))));
  return `#${mix.map((v) => v.toString(16).padStart(2, "0")).join("")}`;
}

const isDark = (hex) => 0.3 * parseInt(hex.slice(1, 3), 16) + 0.59 * parseInt(hex.slice(3, 5), 16) + 0.11 * parseInt(hex.slice(5, 7), 16) < 128;

// The scale of a value: from its ends to 0 ... 1, where 1 is the most similar.
function scaleOf(m, choice, values) {
  const [least, most] = extent(values, 0);
  const measure = MEASURES[m];
  const closer = choice === "calibrated" || measure.kind === "similarity";
  if (choice.startsWith("minus ")) {
    const size = Math.max(Math.abs(least), Math.abs(most)) || 1;
    return { stops: DIVERGING, low: -size, high: size, closer, words: closer ? ["less similar than the baseline", "more similar"] : ["more similar than the baseline", "less similar"] };
  }
  let low = choice === "calibrated" ? Math.min(0, least) : measure.low;
  if (low === null || low < 0) low = Math.min(0, least);
  const high = Math.max(choice === "calibrated" ? 1 : (measure.high ?? most), most);
  return { stops: SEQUENCE, low: Math.min(low, least), high: high > low ? high : low + 1, closer, words: closer ? ["different", "similar"] : ["similar", "different"] };
}

function level(scale, v) {
  const t = (v - scale.low) / (scale.high - scale.low);
  return Math.round((scale.closer ? t : 1 - t) * (LEVELS - 1));
}

const colorOf = (scale, step) => mixed(scale.stops, step / (LEVELS - 1));

function symbol(shape, x, y, r) {
  if (shape === "triangle") return `M${x} ${y - r}L${x + r} ${y + 0.8 * r}H${x - r}Z`;
  if (shape === "square") return `M${x - r * 0.85} ${y - r * 0.85}h${1.7 * r}v${1.7 * r}h${-1.7 * r}Z`;
  if (shape === "diamond") return `M${x} ${y - r}L${x + r} ${y}L${x} ${y + r}L${x - r} ${y}Z`;
  return `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`;
}

// The color and the shape of each value of a field; numbers with many values get a ramp.
function coding(values) {
  const distinct = [...new Set(values)];
  const numeric = distinct.every((v) => v === null || typeof v === "number");
  if (numeric) distinct.sort((x, y) => x - y);
  if (numeric && distinct.length > GROUPS.length) {
    const [low, high] = extent(distinct.filter((v) => v !== null), 0);
    const color = (v) => (v === null ? "#7a7a7a" : mixed(SEQUENCE, (v - low) / (high - low)));
    return { style: (v) => ({ color: color(v), shape: "circle" }), legend: [low, (low + high) / 2, high].map((v) => [number(v), color(v), "circle"]) };
  }
  const most = GROUPS.length * SHAPES.length;
  const index = new Map(distinct.map((v, i) => [v, i]));
  const style = (v) => {
    const i = index.get(v) ?? most;
    if (i >= most) return { color: "#7a7a7a", shape: "circle" };
    return { color: GROUPS[i % GROUPS.length], shape: SHAPES[Math.floor(i / GROUPS.length)] };
  };
  const legend = distinct.slice(0, most).map((v) => [v === null ? "none" : String(v), style(v).color, style(v).shape]);
  if (distinct.length > most) legend.push([`${distinct.length - most} more values`, "#7a7a7a", "circle"]);
  return { style, legend };
}

function drawLegend(holder, entries) {
  holder.replaceChildren();
  for (const [name, color, shape] of entries) {
    const span = add(holder, "span");
    const svg = add(span, "svg", { width: 14, height: 14, viewBox: "0 0 14 14", "aria-hidden": "true" });
    add(svg, "path", { d: symbol(shape, 7, 7, 5), fill: color });
    span.append(short(name, 40));
  }
}
