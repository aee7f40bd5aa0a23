// The page across runs: pages a day by what had become of them, and the runs.
import { daysChart } from "./charts.js";
import { ask, bar, capital, duration, el, legend, message, number, plural, show, table, time } from "./dom.js";

const CHANGES = [
  { name: "new", label: "new" },
  { name: "changed", label: "changed" },
  { name: "same", label: "the same" },
  { name: "redirect", label: "redirects" },
  { name: "gone", label: "gone" },
  { name: "failed", label: "failed" },
];
const here = window.location.pathname.replace(/\/$/, "");
const base = here.replace(/\/runs$/, "");
const choice = document.getElementById("crawl");
const chart = daysChart(document.getElementById("days"), CHANGES);
const counts = CHANGES.map((change) => ({ label: capital(change.label), numeric: true, cell: (row) => number(row[change.name]) }));

function drawDays(days) {
  document.getElementById("days").closest("figure").hidden = !days.length;
  if (!days.length) return;
  chart.update(days);
  const place = document.getElementById("days-table");
  place.replaceChildren(place.firstElementChild, table("Pages a day", [
    { label: "Day (UTC)", cell: (row) => row.day },
    { label: "Pages", numeric: true, cell: (row) => number(row.pages) },
    ...counts,
  ], [...days].reverse()));
}

function drawRuns(runs) {
  const took = (run) => (run.started && run.ended ? (new Date(run.ended) - new Date(run.started)) / 1000 : null);
  show("run-table", table("Runs of this crawl, newest first", [
    // Both names come from Airflow and are encoded: the address cannot leave these pages.
    { label: "Run", cell: (run) => el("a", { href: `${base}/run/${encodeURIComponent(run.dag_id)}/${encodeURIComponent(run.run_id)}` }, run.run_id) },
    { label: "DAG", cell: (run) => run.dag_id },
    { label: "State", cell: (run) => el("span", { class: "badge", "data-state": run.state }, run.state || "–") },
    { label: "Started", cell: (run) => time(run.started) },
    { label: "Took", numeric: true, cell: (run) => duration(took(run)) },
    { label: "Depths", numeric: true, cell: (run) => number(run.depths) },
    { label: "What became of them", class: "barcell", cell: (run) => bar(CHANGES.map((c) => ({ ...c, value: run[c.name] })), run.pages, CHANGES.map((c) => `${c.label} ${run[c.name]}`).join(", ")) },
    { label: "Pages", numeric: true, cell: (run) => number(run.pages) },
    ...counts,
  ], runs, "No run."), legend(CHANGES));
}

async function update() {
  if (!choice.value) return;
  const token = choice.value;
  try {
    const found = await ask(`${here}/history`, { crawl: token });
    if (token !== choice.value) return;
    message("");
    drawDays(found.days);
    drawRuns(found.runs);
    const rest = found.segments - found.read;
    document.getElementById("updated").textContent = rest ? `${plural(rest, "older segment is", "older segments are")} being read …` : plural(found.segments, "segment", "segments");
    if (rest) window.setTimeout(update, 3000);
  } catch (error) {
    message(error.message);
  }
}

async function start() {
  try {
    const { crawls } = await ask(`${here}/crawls`);
    choice.replaceChildren(...crawls.map((crawl) => el("option", { value: crawl.token }, `${crawl.name} (${crawl.dags.join(", ")})`)));
    if (!crawls.length) message("No run has crawled yet.");
    choice.addEventListener("change", update);
    await update();
  } catch (error) {
    message(error.message);
  }
}

start();
