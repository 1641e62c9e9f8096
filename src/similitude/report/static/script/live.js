// The page of a comparison that still runs reloads itself: the comparison writes it
// again. The choices and the place on the page survive in the storage of this tab.

const KEPT = ["value", "grouping", "order", "field"];
const STORED = `similitude ${location.pathname}`;

function stored() {
  try {
    return JSON.parse(sessionStorage.getItem(STORED) ?? "{}");
  } catch {
    return {}; // the browser forbids storage
  }
}

function keepChoices() {
  if (!DATA.live) return;
  const kept = Object.fromEntries(KEPT.map((key) => [key, state[key]]));
  kept.measure = MEASURES[state.measure].label;
  kept.pair = [ITEMS.name[state.a], ITEMS.name[state.b]];
  sessionStorage.setItem(STORED, JSON.stringify({ ...stored(), ...kept }));
}

// Measures and representations may have other places now, so they are found by name.
// The first page after the end of the comparison restores the last choices too.
function restoreChoices() {
  const kept = stored();
  for (const key of KEPT) {
    if (key in kept) state[key] = kept[key];
  }
  state.measure = Math.max(0, MEASURES.findIndex((measure) => measure.label === kept.measure));
  const pair = (kept.pair ?? []).map((name) => ITEMS.name.indexOf(name));
  if (pair.length === 2 && !pair.includes(-1)) choosePair(...pair);
}

// After the charts are drawn: they give the page its height.
function restorePlace() {
  const { place } = stored();
  if (place === undefined) return;
  scrollTo({ top: place, behavior: "instant" });
  if (!DATA.live) sessionStorage.removeItem(STORED);
}

function reloadWhileRunning() {
  if (!DATA.live) return;
  byId("live").hidden = false;
  byId("live").textContent = `The comparison was running at ${document.lastModified}. This page reloads itself.`;
  // An old page is of a comparison that was stopped, or has long pairs.
  const age = Date.now() - Date.parse(document.lastModified);
  const reload = () => {
    if (document.hidden) return setTimeout(reload, 1000);
    sessionStorage.setItem(STORED, JSON.stringify({ ...stored(), place: scrollY }));
    history.scrollRestoration = "manual"; // the browser would do it before the charts
    location.reload();
  };
  setTimeout(reload, Math.max(1000 * DATA.live, age / 10));
}
