// Elements, the tooltip and axes. User text is only ever set as text.

const byId = (id) => document.getElementById(id);

function element(tag, attributes = {}, text = null) {
  const svg = ["svg", "g", "path", "rect", "line", "text", "circle", "title"].includes(tag);
  const made = svg
    ? document.createElementNS("http://www.w3.org/2000/svg", tag)
    : document.createElement(tag);
  for (const [name, setting] of Object.entries(attributes)) made.setAttribute(name, setting);
  if (text !== null) made.textContent = text;
  return made;
}

function canvas(holder, width, height, label) {
  holder.replaceChildren();
  const svg = element("svg", {
    viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": label,
  });
  holder.append(svg);
  return svg;
}

function add(parent, tag, attributes, text = null) {
  const made = element(tag, attributes, text);
  parent.append(made);
  return made;
}

// The place of the pointer in the coordinates of a drawing.
function place(svg, event) {
  const box = svg.getBoundingClientRect();
  const view = svg.viewBox.baseVal;
  return [
    ((event.clientX - box.left) * view.width) / box.width,
    ((event.clientY - box.top) * view.height) / box.height,
  ];
}

function showTip(lines, event) {
  const tip = byId("tip");
  tip.textContent = lines.join("\n");
  tip.hidden = false;
  const [width, height] = [tip.offsetWidth, tip.offsetHeight];
  const x = event.clientX + 14 + width > innerWidth ? event.clientX - 14 - width : event.clientX + 14;
  const y = event.clientY + 14 + height > innerHeight ? event.clientY - 14 - height : event.clientY + 14;
  tip.style.left = `${Math.max(4, x)}px`;
  tip.style.top = `${Math.max(4, y)}px`;
}

function hideTip() {
  byId("tip").hidden = true;
}

function options(select, choices, chosen) {
  select.replaceChildren();
  for (const [key, text] of choices) {
    const made = add(select, "option", { value: key }, short(text, 60));
    if (text.length > 60) made.title = text;
    made.selected = String(key) === String(chosen);
  }
}

const tickText = (v) => (Math.abs(v) >= 1e5 ? v.toExponential(1) : String(v));

// A frame with ticks; returns functions from data to coordinates.
function axes(svg, box, x, y) {
  const toX = (v) => box.left + ((v - x.low) / (x.high - x.low || 1)) * (box.right - box.left);
  const toY = (v) => box.bottom - ((v - y.low) / (y.high - y.low || 1)) * (box.bottom - box.top);
  for (const v of y.ticks ?? ticks(y.low, y.high)) {
    add(svg, "path", { class: "grid", d: `M${box.left} ${toY(v)}H${box.right}` });
    const name = y.name ? y.name(v) : tickText(v);
    add(svg, "text", { x: box.left - 5, y: toY(v) + 4, "text-anchor": "end", class: "soft" }, name);
  }
  for (const v of x.ticks ?? ticks(x.low, x.high)) {
    const name = x.name ? x.name(v) : tickText(v);
    const slanted = x.slanted ? { transform: `rotate(-40 ${toX(v)} ${box.bottom + 14})`, "text-anchor": "end" } : { "text-anchor": "middle" };
    add(svg, "text", { x: toX(v), y: box.bottom + 15, class: "soft", ...slanted }, name);
  }
  add(svg, "path", { class: "axis", d: `M${box.left} ${box.top}V${box.bottom}H${box.right}` });
  if (x.title) add(svg, "text", { x: (box.left + box.right) / 2, y: box.below ?? box.bottom + 32, "text-anchor": "middle" }, x.title);
  if (y.title) add(svg, "text", { x: box.left - 34, y: box.top - 8 }, y.title);
  return [toX, toY];
}

// The lowest and highest finite value, with a margin.
function extent(values, margin = 0.05) {
  const finite = values.filter(Number.isFinite);
  if (!finite.length) return [0, 1];
  let low = finite[0];
  let high = finite[0];
  for (const v of finite) {
    if (v < low) low = v;
    if (v > high) high = v;
  }
  const room = (high - low || Math.abs(high) || 1) * margin;
  return [low - room, high + room];
}
