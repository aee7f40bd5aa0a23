// Charts by uPlot, in the colours of the style sheet.

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

const DAY = 86400;
const clock = (t, seconds) => new Date(t * 1000).toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit", second: seconds ? "2-digit" : undefined, hourCycle: "h23" });
const date = (t, zone) => new Date(t * 1000).toLocaleDateString(undefined, { month: "short", day: "numeric", timeZone: zone });

const TIMES = {
  space: 90,
  values: (chart, at) => {
    const { min, max } = chart.scales.x;
    const step = at.length > 1 ? at[1] - at[0] : 60;
    return at.map((t) => (max - min > DAY ? `${date(t)} ${clock(t)}` : clock(t, step < 60)));
  },
};
const DAYS = { space: 70, incrs: [1, 2, 7, 14, 30].map((days) => days * DAY), values: (_, at) => at.map((t) => date(t, "UTC")) };

function axes(x, decimals) {
  const style = { stroke: colour("--quiet"), grid: { stroke: colour("--line"), width: 1 }, ticks: { show: false }, font: "12px system-ui, sans-serif" };
  return [
    { ...style, ...x },
    { ...style, size: 56, values: (_, at) => at.map((v) => v.toLocaleString(undefined, { maximumFractionDigits: decimals })) },
  ];
}

// A chart in `place` that keeps the width of its place; `draw` makes options and data anew.
class Chart {
  constructor(place, draw) {
    this.place = place;
    this.draw = draw;
    this.made = null;
    new ResizeObserver(() => this.made?.setSize(this.size())).observe(place);
    window.addEventListener("themechange", () => this.last && this.update(this.last));
  }

  size() {
    return { width: Math.max(this.place.clientWidth, 200), height: 190 };
  }

  update(data) {
    this.last = data;
    const { options, columns } = this.draw(data);
    this.made?.destroy();
    this.place.replaceChildren();
    this.made = new window.uPlot({ ...this.size(), ...options }, columns, this.place);
  }
}

const rate = (_, value) => (value === null || value === undefined ? "–" : value.toLocaleString(undefined, { maximumFractionDigits: 1 }));

export function paceChart(place) {
  return new Chart(place, (pace) => ({
    columns: [pace.times, pace.pages, pace.failed],
    options: {
      cursor: { drag: { x: true, y: false } },
      padding: [8, 32, 0, null],
      scales: { y: { range: (_, low, high) => [0, Math.max(high * 1.1, 1)] } },
      axes: axes(TIMES, 1),
      series: [
        { label: "time", value: (_, t) => (t === null ? "–" : clock(t, true)) },
        { label: "pages/s", value: rate, stroke: colour("--success"), fill: colour("--success-soft"), width: 2, points: { show: pace.times.length < 3 } },
        { label: "failed/s", value: rate, stroke: colour("--gone"), fill: colour("--gone-soft"), width: 2, points: { show: false } },
      ],
    },
  }));
}

// Stacked bars: each series is drawn from zero up to its sum with those before it, the last first.
export function daysChart(place, changes) {
  return new Chart(place, (days) => {
    const times = days.map((day) => Date.parse(`${day.day}T00:00:00Z`) / 1000);
    const sums = [];
    let below = days.map(() => 0);
    for (const change of changes) {
      below = days.map((day, at) => below[at] + day[change.name]);
      sums.push(below);
    }
    const bars = window.uPlot.paths.bars({ size: [0.7, 60] });
    const series = changes.map((change, at) => ({
      label: change.label,
      stroke: colour(`--${change.name}`),
      fill: colour(`--${change.name}`),
      paths: bars,
      points: { show: false },
      value: (_, sum, s, row) => (row === null || row === undefined ? "–" : days[row][change.name]),
      at,
    })).reverse();
    const padded = times.length === 1 ? { x: { range: (_, low) => [low - 4 * 86400, low + 4 * 86400] } } : { x: { range: (_, low, high) => [low - 43200, high + 43200] } };
    return {
      columns: [times, ...sums.reverse()],
      options: {
        axes: axes(DAYS, 0),
        tzDate: (t) => window.uPlot.tzDate(new Date(t * 1000), "Etc/UTC"),
        scales: { ...padded, y: { range: (_, low, high) => [0, Math.max(high * 1.1, 1)] } },
        series: [{ label: "day", value: (_, t) => (t === null ? "–" : new Date(t * 1000).toISOString().slice(0, 10)) }, ...series],
      },
    };
  });
}
