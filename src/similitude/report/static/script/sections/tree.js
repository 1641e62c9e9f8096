// The tree of average linkage: one path, and names if they fit.

function drawTree(found, code, values) {
  const holder = byId("tree-chart");
  const { order, merges } = found.tree;
  const count = order.length;
  const step = Math.max(1.2, Math.min(16, 480 / count));
  const named = step >= 9;
  const width = 460;
  const right = named ? width - 20 - 6.6 * Math.min(24, Math.max(...found.names.map((item) => ITEMS.name[item].length))) : width - 20;
  const svg = canvas(holder, width, count * step + 30, "Tree of the representations by average linkage");
  const top = merges.length ? merges[merges.length - 1][2] : 1;
  const toX = (height) => right - (height / (top || 1)) * (right - 12);
  const places = new Map(order.map((leaf, i) => [leaf, [right, (i + 0.5) * step + 4]]));
  let d = "";
  merges.forEach(([a, b, height], i) => {
    const [[xa, ya], [xb, yb]] = [places.get(a), places.get(b)];
    d += `M${xa} ${ya}H${toX(height)}V${yb}H${xb}`;
    places.set(count + i, [toX(height), (ya + yb) / 2]);
  });
  add(svg, "path", { class: "axis", d });
  order.forEach((leaf, i) => {
    const style = code.style(values[leaf]);
    const y = (i + 0.5) * step + 4;
    add(svg, "path", { d: symbol(style.shape, right + 6, y, Math.min(4, step / 2)), fill: style.color });
    if (named) add(svg, "text", { x: right + 14, y: y + 4 }, short(ITEMS.name[found.names[leaf]], 24));
  });
  for (const v of ticks(0, top, 3)) {
    add(svg, "text", { x: toX(v), y: count * step + 22, "text-anchor": "middle", class: "soft" }, String(v));
  }
  nearest(svg, order.map((leaf, i) => [right + 6, (i + 0.5) * step + 4, () => mapLines(found.names[leaf])]));
}
