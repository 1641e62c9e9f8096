// While a comparison runs, ask for its state, and reload the page if it has changed.
// The choices survive in the storage of this tab.

const KEPT = ["value", "grouping", "order", "field"];

function keepChoices() {
  if (!DATA.live) return;
  const kept = Object.fromEntries(KEPT.map((key) => [key, state[key]]));
  kept.measure = MEASURES[state.measure].label;
  kept.pair = [ITEMS.name[state.a], ITEMS.name[state.b]];
  sessionStorage.setItem("choices", JSON.stringify(kept));
}

// Measures and representations may have other places now, so they are found by name.
function restoreChoices() {
  if (!DATA.live) return;
  const kept = JSON.parse(sessionStorage.getItem("choices") ?? "{}");
  for (const key of KEPT) {
    if (key in kept) state[key] = kept[key];
  }
  state.measure = Math.max(0, MEASURES.findIndex((measure) => measure.label === kept.measure));
  const pair = (kept.pair ?? []).map((name) => ITEMS.name.indexOf(name));
  if (pair.length === 2 && !pair.includes(-1)) choosePair(...pair);
}

function connectLive() {
  if (!DATA.live) return;
  byId("live").hidden = false;
  const ask = async () => {
    if (document.hidden) return setTimeout(ask, 1000);
    try {
      const answer = await (await fetch("/state")).json();
      byId("live").textContent = answer.words;
      if (answer.state !== DATA.live) return location.reload();
    } catch {
      byId("live").textContent = "The server has stopped; this page shows the last state.";
    }
    setTimeout(ask, 1000);
  };
  ask();
}
