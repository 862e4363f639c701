import { countTicks, escapeXml, formatTick, wordsOf } from "#monitor";
import { utcDay } from "../../lib/instant.ts";
import { formatNumber, formatShare } from "../../lib/numbers.ts";
import { escapeHtml } from "../../lib/text.ts";
import type { Comparison, Difference } from "./compare.ts";
import { type BacktestReport, labelText, type ReportedDay } from "./report.ts";

/** The report as one page without scripts or other files, for a team to look at. */
export function renderReport(report: BacktestReport, comparison: Comparison | null): string {
  const messages = report.receivers.reduce((sum, one) => sum + one.messages, 0);
  const days = daysBetween(report.from, report.to);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Backtest ${date(report.from)} to ${date(report.to)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Backtest</h1>
<p>${date(report.from)} to ${date(report.to)}, ${formatNumber(report.mentions)} mentions. Days are those of ${escapeHtml(report.timezone)}.${learned(report)}</p>
<ul class="figures">
${figure(report.alerts.length, "alerts")}
${figure(report.incidents.length, "incidents")}
${figure(messages, "messages")}
${figure(Math.max(0, ...report.receivers.map(({ alertsAWeek }) => alertsAWeek)), "alerts a week, most of any receiver")}
</ul>
${chart("Alerts by day and rule", days, report.days, (day) => [[day.rule, day.alerts]])}
${chart("Messages by day and receiver", days, report.days, (day) => Object.entries(day.messages))}
${comparison === null ? "" : differences(comparison)}
${table(
  "Incidents",
  ["from", "to", "severity", "query", "begun by", "alerts", "messages"],
  report.incidents.map((one) => [
    minute(one.openedAt),
    one.endedAt === null ? one.status : minute(one.endedAt),
    one.severity,
    one.query,
    one.rule,
    one.alerts,
    one.messages,
  ]),
)}
${table(
  "Receivers",
  ["receiver", "messages", "alerts", "alerts a week", "throttled", "held or not sent"],
  report.receivers.map((one) => [
    one.receiver,
    one.messages,
    one.alerts,
    one.alertsAWeek,
    `${one.throttled} (${formatShare(one.throttleShare)})`,
    Object.entries(one.withheld)
      .map(([reason, n]) => `${n} × ${wordsOf(reason)}`)
      .join("; "),
  ]),
)}
${table(
  "The loudest",
  ["rule", "query", "alerts", "messages"],
  report.loudest.map((one) => [
    one.rule,
    [one.query, labelText(one.labels)].filter((text) => text !== "").join(", "),
    one.alerts,
    one.messages,
  ]),
)}
${table(
  "As people judged real alerts of the same time",
  ["rule", "relevant", "not relevant", "precision"],
  report.precision.map((one) => [one.rule, one.relevant, one.notRelevant, formatShare(one.share)]),
)}
${table(
  "Every alert",
  ["opened", "resolved", "severity", "rule", "query", "why"],
  report.alerts.map((one) => [
    minute(one.openedAt),
    one.resolvedAt === null ? "still open" : minute(one.resolvedAt),
    one.severity,
    one.rule,
    one.query,
    one.because,
  ]),
)}
</main>
</body>
</html>
`;
}

function differences(comparison: Comparison): string {
  const { alerts, incidents, messages, same } = comparison;
  const head = `<p>${alerts.before} → ${alerts.after} alerts, ${incidents.before} → ${incidents.after} incidents, ${messages.before} → ${messages.after} messages; ${same} alerts are the same.</p>`;
  if (comparison.differences.length === 0) return `<h2>Against the old rules</h2>${head}`;
  return table(
    "Against the old rules",
    ["what", "rule", "query", "before", "after", "reason"],
    comparison.differences.map((one) => [
      one.kinds.join(", "),
      one.rule,
      [one.query, labelText(one.labels)].filter((text) => text !== "").join(", "),
      seen(one.before),
      seen(one.after),
      one.reason,
    ]),
    head,
  );
}

function seen(alert: Difference["before"]): string {
  return alert === null ? "–" : `${minute(alert.openedAt)} ${alert.severity}`;
}

type Cell = string | number;

function table(
  title: string,
  columns: readonly string[],
  rows: readonly (readonly Cell[])[],
  head = "",
): string {
  if (rows.length === 0) return "";
  const cell = (value: Cell): string =>
    typeof value === "number"
      ? `<td class="number">${formatNumber(value)}</td>`
      : `<td>${escapeHtml(value)}</td>`;
  // Above its numbers.
  const heading = (column: string, index: number): string =>
    `<th scope="col"${rows.every((row) => typeof row[index] === "number") ? ' class="number"' : ""}>${escapeHtml(column)}</th>`;
  return `<h2>${escapeHtml(title)}</h2>
${head}<div class="wide" tabindex="0"><table>
<thead><tr>${columns.map(heading).join("")}</tr></thead>
<tbody>
${rows.map((row) => `<tr>${row.map(cell).join("")}</tr>`).join("\n")}
</tbody></table></div>`;
}

const WIDTH = 900;
const PLOT = { left: 52, right: 892, top: 12, bottom: 190 };
const LABELS = 8;
/** Colours of Okabe and Ito, which people with any colour vision can distinguish. */
const COLOURS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8c8c8c", "#b8a800"];

/** Bars by day, stacked by name. The legend has the totals, so that colour is not needed to read it. */
function chart(
  title: string,
  days: readonly string[],
  reported: readonly ReportedDay[],
  partsOf: (day: ReportedDay) => readonly (readonly [string, number])[],
): string {
  const stacks = new Map<string, Map<string, number>>(days.map((day) => [day, new Map()]));
  const totals = new Map<string, number>();
  for (const day of reported)
    for (const [name, n] of partsOf(day)) {
      if (n === 0) continue;
      const stack = stacks.get(day.date) ?? new Map<string, number>();
      stacks.set(day.date, stack.set(name, (stack.get(name) ?? 0) + n));
      totals.set(name, (totals.get(name) ?? 0) + n);
    }
  const names = [...totals].sort((a, b) => b[1] - a[1]).map(([name]) => name);
  if (names.length === 0) return "";
  const dates = [...stacks.keys()].sort();
  const most = Math.max(1, ...[...stacks.values()].map((stack) => sum(stack.values())));
  const ticks = countTicks(most);
  const highest = ticks.at(-1) ?? most;
  const y = (count: number): number => round(PLOT.bottom - (count / highest) * (PLOT.bottom - PLOT.top));
  const step = (PLOT.right - PLOT.left) / dates.length;
  const bars = dates.flatMap((day, index) => {
    let below = 0;
    return names.flatMap((name) => {
      const n = stacks.get(day)?.get(name) ?? 0;
      if (n === 0) return [];
      const [top, bottom] = [y(below + n), y(below)];
      below += n;
      const x = round(PLOT.left + index * step + step * 0.1);
      return [
        `<rect x="${x}" y="${top}" width="${round(step * 0.8)}" height="${round(bottom - top)}" fill="${colourOf(names, name)}"><title>${escapeXml(`${day}: ${n} ${name}`)}</title></rect>`,
      ];
    });
  });
  const grid = ticks.map(
    (tick) =>
      `<path d="M${PLOT.left} ${y(tick)}H${PLOT.right}" class="grid"/><text x="${PLOT.left - 8}" y="${y(tick) + 4}" text-anchor="end">${formatTick(tick, highest)}</text>`,
  );
  const every = Math.max(1, Math.ceil(dates.length / LABELS));
  const labels = dates.flatMap((day, index) =>
    index % every === 0
      ? [
          `<text x="${round(PLOT.left + (index + 0.5) * step)}" y="${PLOT.bottom + 20}" text-anchor="middle">${day.slice(5)}</text>`,
        ]
      : [],
  );
  const legend = names.map(
    (name) =>
      `<li><svg width="12" height="12" aria-hidden="true"><rect width="12" height="12" fill="${colourOf(names, name)}"/></svg> ${escapeHtml(name)} <b>${formatNumber(totals.get(name) ?? 0)}</b></li>`,
  );
  return `<h2>${escapeHtml(title)}</h2>
<div class="wide" tabindex="0"><svg class="chart" viewBox="0 0 ${WIDTH} ${PLOT.bottom + 30}" role="img" aria-label="${escapeXml(title)}">
${[...grid, ...bars, ...labels].join("\n")}
</svg></div>
<ul class="legend">${legend.join("")}</ul>`;
}

function colourOf(names: readonly string[], name: string): string {
  return COLOURS[names.indexOf(name) % COLOURS.length] ?? "#8c8c8c";
}

function sum(numbers: Iterable<number>): number {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** Every date of the range, so that days without an alert are a gap in the chart. */
function daysBetween(from: string, to: string): readonly string[] {
  const days: string[] = [];
  for (let at = Date.parse(date(from)); at <= Date.parse(to) && days.length < MOST_DAYS; at += 86_400_000)
    days.push(utcDay(at));
  return days;
}

const MOST_DAYS = 400;

function figure(value: number, what: string): string {
  return `<li><b>${formatNumber(value)}</b> ${what}</li>`;
}

function learned({ learnedFrom, from }: BacktestReport): string {
  return learnedFrom === null || learnedFrom >= from ? "" : ` The rules learned since ${date(learnedFrom)}.`;
}

function date(iso: string): string {
  return iso.slice(0, 10);
}

function minute(iso: string): string {
  return `${iso.slice(0, 16).replace("T", " ")} UTC`;
}

const STYLE = `
:root { color-scheme: light dark; --text: #1a1f26; --faint: #59636e; --grid: #dfe3e8; --ground: #fff; }
@media (prefers-color-scheme: dark) { :root { --text: #f0f3f6; --faint: #a3adb8; --grid: #333b44; --ground: #14181d; } }
body { margin: 0; background: var(--ground); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; }
h1 { margin: 0; } h2 { margin: 2rem 0 0.5rem; font-size: 1.15rem; }
.figures, .legend { display: flex; flex-wrap: wrap; gap: 0.5rem 2rem; list-style: none; padding: 0; }
.figures b { font-size: 1.6rem; } .legend { gap: 0.25rem 1.25rem; font-size: 0.9rem; }
.chart { width: 100%; min-width: 36rem; height: auto; } .chart text { fill: var(--faint); font-size: 13px; } .grid { stroke: var(--grid); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; min-width: 44rem; font-size: 0.9rem; }
th, td { text-align: left; vertical-align: top; padding: 0.35rem 0.75rem 0.35rem 0; border-bottom: 1px solid var(--grid); }
th { color: var(--faint); font-weight: 600; white-space: nowrap; } .number { text-align: right; font-variant-numeric: tabular-nums; }
`;
