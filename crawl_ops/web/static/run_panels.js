// The other tabs of a run: hosts, one URL, the index, segments, the configuration.
import { ask, bar, capital, duration, el, legend, message, number, plural, show, table, time, timed } from "./dom.js";

let here = "";
const loaded = new Set();
const byId = (id) => document.getElementById(id);

function choose(name, focus = false, rest = "") {
  for (const tab of document.querySelectorAll('[role="tab"]')) {
    const mine = tab.id === `tab-${name}`;
    tab.setAttribute("aria-selected", String(mine));
    tab.tabIndex = mine ? 0 : -1;
    byId(tab.getAttribute("aria-controls")).hidden = !mine;
    if (mine && focus) tab.focus();
  }
  const fragment = `#${name}${rest ? `/${rest}` : ""}`;
  if (window.location.hash !== fragment) window.history.replaceState(null, "", fragment);
  if (name === "segments") {
    if (rest) segment(rest);
    else segments();
    return;
  }
  const load = { hosts: () => hosts(0), search: () => search(0), configuration }[name];
  if (load && !loaded.has(name)) {
    loaded.add(name);
    load();
  }
}

const asked = {};

// Only the answer to what was asked last is shown, whichever comes first.
async function into(place, question, draw) {
  const mine = (asked[place] = (asked[place] ?? 0) + 1);
  byId(place).setAttribute("aria-busy", "true");
  try {
    const found = await question();
    if (mine !== asked[place]) return;
    draw(found);
    message("");
  } catch (error) {
    if (mine !== asked[place]) return;
    show(place, el("p", { class: "quiet" }, error.message));
  }
  byId(place).removeAttribute("aria-busy");
}

function pager(found, again) {
  if (found.total <= found.most && !found.offset) return null;
  const to = Math.min(found.offset + found.most, found.total);
  const button = (label, offset, there) => el("button", { type: "button", disabled: !there, onclick: () => again(offset) }, label);
  return el("p", { class: "pager" },
    button("Back", Math.max(found.offset - found.most, 0), found.offset > 0),
    ` ${number(found.offset + 1)} to ${number(to)} of ${number(found.total)} `,
    button("Next", found.offset + found.most, to < found.total && found.offset + found.most <= 10000));
}

function hosts(offset) {
  const form = byId("hosts-form");
  const asked = { part: form.part.value.trim(), order: form.order.value, offset };
  into("hosts-found", () => ask(`${here}/hosts`, asked), (found) => {
    const count = (label, name) => ({ label, numeric: true, cell: (row) => number(row[name]) });
    show("hosts-found", table(`Hosts (${number(found.total)})`, [
      { label: "Host", cell: (row) => row.host },
      count("Fetched", "fetched"), count("Unfetched", "unfetched"), count("Redirects", "redirects"),
      count("Gone", "gone"), count("Duplicates", "duplicate"), count("Failing", "failing"), count("ms", "response_ms"),
      { label: "Delay", numeric: true, cell: (row) => (row.crawl_delay_s === null ? "–" : `${number(row.crawl_delay_s)} s`) },
      { label: "robots.txt", cell: (row) => row.robots ?? "–" },
      { label: "Last good", cell: (row) => time(row.last_good_time) },
      { label: "Last failure", class: "text", cell: (row) => row.last_reason ?? "–" },
    ], found.hosts, "No host, or none yet: hosts are counted by updatedb."), pager(found, hosts) ?? "");
  });
}

function search(offset) {
  const query = byId("search-query").value.trim() || "*";
  into("search-found", () => ask(`${here}/search`, { query, offset }), (found) => {
    const hits = found.hits.map((hit) => el("li", {},
      el("h3", {}, hit.title || "(no title)"),
      el("p", { class: "address" }, hit.url, " ", el("button", { type: "button", class: "link", "aria-label": `Explain ${hit.url}`, onclick: () => panels.explain(hit.url) }, "explain")),
      el("p", {}, hit.snippet)));
    show("search-found", el("p", { class: "quiet" }, found.total ? `${number(found.total)} found` : "Nothing found. The index is written at the end of a run."),
      el("ol", { class: "hits", start: found.offset + 1 }, ...hits), pager(found, search) ?? "");
  });
}

const OUTCOMES = { yes: "good", no: "bad" };

const detail = (given) => (given === null || given === undefined ? "" : typeof given === "string" ? given : JSON.stringify(given));

function story(found) {
  const record = Object.entries(found.record ?? {}).filter(([, value]) => value !== null && value !== "");
  const facts = [["Status", found.status ?? "not known"], ["Normalized", found.normalized ?? "refused"], ["Next fetch", found.next_fetch ? time(found.next_fetch) : "never"]];
  show("url-found",
    el("h2", { class: "address" }, found.url),
    el("dl", { class: "facts" }, ...facts.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)])),
    table("What happened to it", [
      { label: "Step", cell: (step) => step.step },
      { label: "Outcome", cell: (step) => el("span", { class: OUTCOMES[step.outcome] ?? "" }, step.outcome ?? "–") },
      { label: "Reason", class: "text", cell: (step) => timed(step.reason ?? "") },
      { label: "Detail", class: "text", cell: (step) => timed(detail(step.detail)) },
      { label: "Time", cell: (step) => (step.time ? time(step.time) : "") },
    ], found.steps),
    found.left_off ? el("p", { class: "quiet" }, `${plural(found.left_off, "more step", "more steps")}: crawl-ops explain tells all.`) : "",
    record.length ? table("Its record in the crawldb", [
      { label: "Field", cell: ([name]) => name },
      { label: "Value", class: "text", cell: ([, value]) => (typeof value === "object" ? JSON.stringify(value) : value) },
    ], record) : "");
}

function explain(url) {
  byId("url-text").value = url;
  choose("url");
  byId("url-text").focus();
  show("url-found", el("p", { class: "quiet" }, "Looking …"));
  into("url-found", () => ask(`${here}/url`, { url }), story);
}

function segments() {
  into("segments-found", () => ask(`${here}/segments`), (found) => {
    const count = (label, cell) => ({ label, numeric: true, cell: (row) => number(cell(row)) });
    show("segments-found", table(`Segments of the crawl, newest first (${number(found.total)})`, [
      { label: "Segment", cell: (row) => el("button", { type: "button", class: "link", onclick: () => choose("segments", false, row.segment) }, row.segment) },
      { label: "This run", cell: (row) => (row.mine ? "yes" : "") },
      { label: "Depth", numeric: true, cell: (row) => row.depth ?? "–" },
      { label: "Created", cell: (row) => time(row.created) },
      count("Lists", (row) => row.lists), count("Selected", (row) => row.generated),
      count("Fetched", (row) => row.fetched), count("Parsed", (row) => row.parsed),
      { label: "In the crawldb", cell: (row) => (row.folded ? "yes" : "not yet") },
      { label: "Run", class: "text", cell: (row) => row.run_id ?? "–" },
    ], found.segments, "No segment yet."));
  });
}

const FETCHES = [
  { name: "success", label: "fetched", of: ["fetch_success"] },
  { name: "same", label: "not modified", of: ["fetch_notmodified"] },
  { name: "redirect", label: "redirects", of: ["fetch_redir_temp", "fetch_redir_perm"] },
  { name: "retry", label: "to be retried", of: ["fetch_retry"] },
  { name: "gone", label: "gone", of: ["fetch_gone"] },
];
const tally = (counts) => FETCHES.map((kind) => ({ ...kind, value: kind.of.reduce((n, status) => n + (counts?.[status] ?? 0), 0) }));

function segment(name) {
  into("segments-found", () => ask(`${here}/segments/${encodeURIComponent(name)}`), (found) => {
    const kinds = tally(found.counts);
    const total = kinds.reduce((n, kind) => n + kind.value, 0);
    const again = found.of_segment ? `asked again: what is left of ${found.of_segment}` : null;
    const facts = [["Run", found.run_id ?? "–"], ["Depth", [found.depth ?? "–", again].filter(Boolean).join(", ")], ["Created", time(found.created)],
      ["In the crawldb", found.folded ? "yes" : "not yet"], ["Selected", `${number(found.generated)} in ${plural(found.lists, "fetch list", "fetch lists")}`]];
    show("segments-found",
      el("p", {}, el("button", { type: "button", class: "link", onclick: () => choose("segments") }, "All segments of the crawl")),
      el("h2", { class: "address", tabindex: "-1" }, found.segment),
      el("dl", { class: "facts" }, ...facts.flatMap(([label, value]) => [el("dt", {}, label), el("dd", {}, String(value))])),
      total ? bar(kinds, total, kinds.map((kind) => `${kind.label} ${kind.value}`).join(", ")) : "",
      total ? legend(kinds.filter((kind) => kind.value)) : "",
      table("Fetch lists", [
        { label: "List", cell: (row) => row.list },
        { label: "URLs", numeric: true, cell: (row) => number(row.urls) },
        { label: "Hosts", numeric: true, cell: (row) => number(row.hosts) },
        { label: "Expected", numeric: true, cell: (row) => duration(row.expected_s) },
        ...FETCHES.map((kind, at) => ({ label: capital(kind.label), numeric: true, cell: (row) => (row.fetched ? number(tally(row.fetched)[at].value) : "–") })),
        { label: "Fetch", cell: (row) => (row.fetched ? "done" : "not yet") },
        { label: "Parse", cell: (row) => (row.parsed ? "done" : "not yet") },
      ], found.each));
  });
}

let properties = [];

function configuration() {
  into("configuration-found", () => ask(`${here}/configuration`), (found) => {
    properties = found.properties;
    drawProperties();
  });
}

const shown = (value) => (value === null ? "–" : typeof value === "string" ? value || "(empty)" : JSON.stringify(value));

function drawProperties() {
  const part = byId("configuration-part").value.trim().toLowerCase();
  const only = byId("configuration-changed").checked;
  const rows = properties.filter((p) => p.name.includes(part) && (p.changed || !only));
  show("configuration-found", table(`Configuration in force (${number(rows.length)} of ${number(properties.length)})`, [
    { label: "Property", cell: (row) => row.name },
    { label: "Value", class: "text", cell: (row) => el("span", { class: row.changed ? "changed" : "" }, shown(row.value)) },
    { label: "Default", class: "text", cell: (row) => shown(row.default) },
  ], rows, "No such property."));
}

// As a tab of Airflow's this is a frame: what was linked to stands in the outer address.
function fragment() {
  try {
    return (window.location.hash || window.parent.location.hash).slice(1);
  } catch {
    return window.location.hash.slice(1);
  }
}

function start(path) {
  here = path;
  const tabs = [...document.querySelectorAll('[role="tab"]')];
  const name = (tab) => tab.id.replace("tab-", "");
  tabs.forEach((tab, at) => {
    tab.addEventListener("click", () => choose(name(tab)));
    tab.addEventListener("keydown", (event) => {
      const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      choose(name(tabs[(to + tabs.length) % tabs.length]), true);
    });
  });
  const asks = { "hosts-form": () => hosts(0), "search-form": () => search(0), "url-form": () => explain(byId("url-text").value.trim()), "configuration-form": drawProperties };
  for (const [id, answer] of Object.entries(asks)) {
    byId(id).addEventListener("submit", (event) => {
      event.preventDefault();
      answer();
    });
  }
  byId("hosts-order").addEventListener("change", () => hosts(0));
  byId("configuration-part").addEventListener("input", drawProperties);
  byId("configuration-changed").addEventListener("change", drawProperties);
  const [wanted, rest] = fragment().split("/");
  if (tabs.some((tab) => name(tab) === wanted)) choose(wanted, false, rest ?? "");
}

export const panels = { start, explain };
