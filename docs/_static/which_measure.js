/* "Which measure?": hide the rows of the table that do not match the answers. */
(() => {
  const form = document.getElementById("which-questions");
  if (!form) return;
  const rows = [...document.querySelectorAll("#which-table tr[id]")];
  const count = document.getElementById("which-count");
  const update = () => {
    const answers = [...new FormData(form)].filter(([, value]) => value);
    let shown = 0;
    for (const row of rows) {
      row.hidden = !answers.every(([name, value]) =>
        row.dataset[name].split(" ").includes(value));
      shown += !row.hidden;
    }
    for (const body of document.querySelectorAll("#which-table tbody")) {
      body.hidden = !body.querySelector("tr[id]:not([hidden])");
    }
    count.value = shown
      ? `${shown} of ${rows.length} measures match.`
      : "No measure matches. Change an answer.";
  };
  form.addEventListener("input", update);
  form.addEventListener("reset", () => setTimeout(update));
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  update();
})();
