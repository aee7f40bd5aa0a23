// The page of one run: tabs, and the progress, asked for again while the run goes on.
import { paceChart } from "./charts.js";
import { ask, bar, capital, duration, el, legend, message, number, percent, plural, show, table, time } from "./dom.js";
import { panels } from "./run_panels.js";

const EVERY_MS = 3000;
const MOST_MS = 30000;
export const here = window.location.pathname.replace(/\/$/, "");
const chart = paceChart(document.getElementById("pace"));

const FETCHED = [
  { name: "success", label: "fetched", of: ["fetch_success"] },
  { name: "same", label: "not modified", of: ["fetch_notmodified"] },
  { name: "redirect", label: "redirects", of: ["fetch_redir_temp", "fetch_redir_perm"] },
  { name: "retry", label: "to be retried", of: ["fetch_retry", "parse_failed"] },
  { name: "gone", label: "gone", of: ["fetch_gone"] },
  { name: "left", label: "left for later", of: [] },
  { name: "waiting", label: "still to fetch", of: [] },
];
const HOST_STATES = [
  { name: "success", label: "being asked", of: "running" },
  { name: "ready", label: "ready", of: "ready" },
  { name: "waiting", label: "resting", of: "resting" },
  { name: "retry", label: "backing off", of: "backing_off" },
  { name: "gone", label: "given up", of: "blocked" },
];
const KNOWN = [
  { name: "success", label: "fetched", of: ["db_fetched"] },
  { name: "same", label: "not modified", of: ["db_notmodified"] },
  { name: "redirect", label: "redirects", of: ["db_redir_temp", "db_redir_perm"] },
  { name: "duplicate", label: "duplicates", of: ["db_duplicate"] },
  { name: "retry", label: "not parsed", of: ["db_parse_failed"] },
  { name: "gone", label: "gone", of: ["db_gone", "db_orphan"] },
  { name: "waiting", label: "unfetched", of: ["db_unfetched"] },
];
const STATES = { generated: "selected", fetching: "fetching", fetched: "fetched", parsed: "parsed", folded: "done" };

const sum = (counts, names) => names.reduce((total, name) => total + (counts[name] ?? 0), 0);

function parts(depth) {
  const left = Object.entries(depth.counts).filter(([name]) => name.startsWith("left."));
  return FETCHED.map((kind) => {
    if (kind.name === "left") return { ...kind, value: left.reduce((total, [, n]) => total + n, 0) };
    if (kind.name === "waiting") return { ...kind, value: depth.waiting };
    return { ...kind, value: sum(depth.counts, kind.of) };
  });
}

const named = (depth) => (depth.redo ? `${depth.depth} (again ${depth.redo})` : `${depth.depth}`);

function tiles(told) {
  const { run, live, depths, totals, head } = told;
  const until = run.ended ? new Date(run.ended) : new Date(told.now);
  const took = run.started ? (until - new Date(run.started)) / 1000 : null;
  const current = depths.find((depth) => depth.segment === head.newest);
  const wanted = run.depth ? ` of ${run.depth}` : "";
  const shown = [
    ["Depth", current ? `${named(current)}${wanted}` : "–", current ? STATES[current.state] : "nothing selected yet"],
    ["Pages asked for", number(head.asked), head.again ? `${number(head.again)} of them again` : `${plural(totals.hosts ?? 0, "host", "hosts")} known`],
    live ? ["Pages a second", number(live.rate), `${number(live.left)} still to fetch`]
      : ["Pages a second", took && head.since_start ? number(head.since_start / took) : "–", "on average"],
    ["Failed or gone", number(head.failed), head.asked ? `${percent(head.failed, head.asked)} of pages${head.again ? ", as last asked" : ""}` : ""],
    ["Took", duration(took), run.started ? `since ${time(run.started)}` : ""],
    live ? [`Depth ${live.depth} ends`, live.expected_end ? `≈ ${time(live.expected_end)}` : "–", live.stale ? `nothing heard for ${duration(live.age_s)}` : "at this pace"]
      : ["Ended", time(run.ended), run.state],
  ];
  show("tiles", ...shown.map(([label, value, more]) =>
    el("div", { class: "tile" }, el("dt", {}, label), el("dd", {}, value, el("span", { class: "more" }, more || "")))));
}

function depths(told) {
  const shown = FETCHED.filter((kind) => told.depths.some((d) => parts(d).find((p) => p.name === kind.name).value));
  show("depths", table("Depths of this run", [
    { label: "Depth", cell: named },
    { label: "State", cell: (d) => STATES[d.state] },
    { label: "URLs", class: "barcell", cell: (d) => {
      const all = parts(d);
      return bar(all, all.reduce((n, p) => n + p.value, 0), all.filter((p) => p.value).map((p) => `${p.label} ${p.value}`).join(", ") || "nothing yet");
    } },
    { label: "Selected", numeric: true, cell: (d) => number(d.generated) },
    ...shown.map((kind) => ({ label: capital(kind.label), numeric: true, cell: (d) => number(parts(d).find((p) => p.name === kind.name).value) })),
    { label: "Lists", numeric: true, cell: (d) => `${d.lists_fetched}/${d.lists}` },
  ], told.depths, "No depth has begun."), legend(shown));
}

function hostsNow(live) {
  if (!live) {
    show("hosts-now", el("p", { class: "quiet" }, "No fetch is running."));
    return;
  }
  const states = HOST_STATES.map((state) => ({ ...state, value: live.hosts[state.of] ?? 0 }));
  const total = states.reduce((n, state) => n + state.value, 0);
  show("hosts-now", bar(states, total, states.map((s) => `${s.label} ${s.value}`).join(", ")), legend(states),
    table("Hosts that back off", [
      { label: "Host", cell: ([host]) => host },
      { label: "Asked again in", numeric: true, cell: ([, seconds]) => duration(seconds) },
      { label: "URLs", numeric: true, cell: ([, , urls]) => number(urls) },
    ], live.waiting, "No host is backing off."));
}

function totals(found) {
  const known = KNOWN.map((kind) => ({ ...kind, value: sum(found, kind.of) }));
  const all = known.reduce((n, kind) => n + kind.value, 0);
  if (!all) {
    show("totals", el("p", { class: "quiet" }, "Told after the first updatedb."));
    return;
  }
  show("totals", el("p", { class: "big" }, number(all), el("span", { class: "more" }, ` on ${plural(found.hosts, "host", "hosts")}, at the last updatedb`)),
    bar(known, all, known.map((k) => `${k.label} ${k.value}`).join(", ")), legend(known.filter((k) => k.value)));
}

function failures(rows, live) {
  show("failures", table("Kinds of failure, the most frequent first", [
    { label: "Status", cell: (row) => row.fetch_status },
    { label: "Protocol", cell: (row) => [row.protocol_status, row.http_status].filter(Boolean).join(" ") },
    { label: "URLs", numeric: true, cell: (row) => number(row.urls) },
    { label: "Hosts", numeric: true, cell: (row) => number(row.hosts) },
    { label: "For example", class: "text", cell: (row) => row.reason || "–" },
    { label: "", cell: (row) => el("button", { type: "button", class: "link", "aria-label": `Explain ${row.url}`, title: row.url, onclick: () => panels.explain(row.url) }, "explain") },
  ], rows, live ? "Told as soon as the running fetch has written a part: every half minute." : "Nothing failed."));
}

function pace(found) {
  document.getElementById("pace").closest("figure").hidden = !found.times.length;
  if (!found.times.length) return;
  chart.update(found);
  const every = Math.ceil(found.times.length / 60);
  const rows = found.times.map((t, at) => ({ t, pages: found.pages[at], failed: found.failed[at] })).filter((_, at) => at % every === 0);
  const place = document.getElementById("pace-table");
  if (!place.open) {
    place.replaceChildren(place.firstElementChild, table("Pages and failures a second", [
      { label: "Time", cell: (row) => time(row.t * 1000) },
      { label: "Pages/s", numeric: true, cell: (row) => number(row.pages) },
      { label: "Failed/s", numeric: true, cell: (row) => number(row.failed) },
    ], rows));
  }
}

function draw(told) {
  document.getElementById("crawl-name").textContent = told.run.crawl;
  const state = document.getElementById("run-state");
  state.textContent = told.run.state || "not begun";
  state.dataset.state = told.run.state;
  tiles(told);
  pace(told.pace);
  depths(told);
  hostsNow(told.live);
  totals(told.totals);
  failures(told.failures, told.live);
  document.getElementById("updated").textContent = `updated ${time(told.now)}`;
}

let wait = EVERY_MS;
async function update() {
  if (document.hidden) {
    window.setTimeout(update, EVERY_MS);
    return;
  }
  let over = false;
  try {
    const started = performance.now();
    const told = await ask(`${here}/progress`);
    message("");
    draw(told);
    over = ["success", "failed"].includes(told.run.state);
    wait = Math.min(Math.max(EVERY_MS, 3 * (performance.now() - started)), MOST_MS);
  } catch (error) {
    message(error.message);
    wait = Math.min(wait * 2, MOST_MS);
    if ([401, 403].includes(error.status)) return;
  }
  // A run that is over may be cleared and go on: look now and then.
  window.setTimeout(update, over ? MOST_MS : wait);
}

panels.start(here);
update();
