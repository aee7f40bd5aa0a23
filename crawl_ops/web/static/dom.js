// Building the page from data. Text only ever becomes text: no markup is made of it, and no link.

export function el(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "onclick") made.addEventListener("click", value);
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

export function show(id, ...children) {
  document.getElementById(id).replaceChildren(...children);
}

const whole = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 });
const fine = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });
const finest = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 2 });

export function number(value) {
  if (value === null || value === undefined) return "–";
  if (Math.abs(value) >= 100 || Number.isInteger(value)) return whole.format(value);
  return (Math.abs(value) >= 1 ? fine : finest).format(value);
}

export function percent(part, of) {
  const share = (100 * part) / of;
  return part && share < 1 ? "under 1 %" : `${whole.format(share)} %`;
}

export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

export function plural(value, one, many) {
  return `${number(value)} ${value === 1 ? one : many}`;
}

export function time(text) {
  if (!text) return "–";
  const moment = new Date(text);
  const today = moment.toDateString() === new Date().toDateString();
  const clock = moment.toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });
  const two = (part) => String(part).padStart(2, "0");
  const date = `${moment.getFullYear()}-${two(moment.getMonth() + 1)}-${two(moment.getDate())}`;
  return today ? clock : `${date} ${clock}`;
}

// Times in a sentence, as people read them.
export function timed(text) {
  return text.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)/g, time);
}

export function duration(seconds) {
  if (seconds === null || seconds === undefined) return "–";
  const s = Math.max(0, Math.round(seconds));
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${s % 60} s`;
  return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`;
}

// columns: [{label, cell: row => text or node, numeric}]
export function table(caption, columns, rows, empty = "None.") {
  if (!rows.length) return el("p", { class: "quiet" }, empty);
  const head = el("tr", {}, ...columns.map((c) => el("th", { scope: "col", class: c.numeric && "num" }, c.label)));
  const body = rows.map((row) =>
    el("tr", {}, ...columns.map((c, at) => {
      const given = c.cell(row);
      const content = given instanceof Node ? given : String(given ?? "–");
      const attributes = { class: [c.numeric && "num", c.class].filter(Boolean).join(" ") || null };
      return at === 0 ? el("th", { scope: "row", ...attributes }, content) : el("td", attributes, content);
    })));
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    el("table", {}, el("caption", {}, caption), el("thead", {}, head), el("tbody", {}, ...body)));
}

// parts: [{name, label, value}]; widths are set by script, which the policy allows.
export function bar(parts, total, label) {
  const shown = parts.filter((part) => part.value > 0);
  const made = el("div", { class: "bar", role: "img", "aria-label": label });
  for (const part of shown) {
    const piece = el("span", { class: `piece c-${part.name}`, title: `${part.label}: ${number(part.value)}` });
    piece.style.width = `${(100 * part.value) / Math.max(total, 1)}%`;
    made.append(piece);
  }
  return made;
}

export function legend(parts) {
  return el("ul", { class: "legend" }, ...parts.map((part) =>
    el("li", {}, el("span", { class: `dot c-${part.name}`, "aria-hidden": "true" }),
      part.value === undefined ? part.label : `${part.label} ${number(part.value)}`)));
}

export async function ask(path, parameters = {}) {
  const query = new URLSearchParams(parameters).toString();
  const answer = await fetch(query ? `${path}?${query}` : path, {
    headers: { Accept: "application/json" },
    credentials: "same-origin",
  });
  if (answer.ok) return answer.json();
  let detail = `${answer.status} ${answer.statusText}`;
  try {
    const told = (await answer.json()).detail;
    if (typeof told === "string") detail = told;
    else if (Array.isArray(told)) detail = told.map((one) => one.msg).join("; ");
  } catch {
    // Not JSON: a proxy's own page.
  }
  if (answer.status === 401 || answer.status === 403) detail = `${detail}: please sign in to Airflow again.`;
  const error = new Error(detail);
  error.status = answer.status;
  throw error;
}

export function message(text) {
  const place = document.getElementById("message");
  place.hidden = !text;
  place.textContent = text || "";
}
