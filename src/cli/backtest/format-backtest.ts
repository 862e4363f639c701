import {
  type BacktestReport,
  type Comparison,
  type Difference,
  labelText,
  type ReportedReceiver,
} from "#lab";
import { wordsOf } from "#monitor";
import { counted, formatNumber, formatShare } from "../../lib/numbers.ts";
import { formatTable } from "../common/format-table.ts";

/** The report for a terminal. */
export function formatBacktest(report: BacktestReport): readonly string[] {
  const { alerts, days, incidents, receivers, loudest, precision } = report;
  const messages = receivers.reduce((sum, one) => sum + one.messages, 0);
  return [
    `${counted(report.mentions, "mention")}, ${minute(report.from)} to ${minute(report.to)}${learned(report)}`,
    `${counted(alerts.length, "alert")}${inIncidents(report)}, ${counted(messages, "message")}`,
    ...section(
      "Incidents",
      incidents.map(({ openedAt, endedAt, status, severity, query, rule, alerts, messages }) => ({
        ...{ from: minute(openedAt), to: endedAt === null ? status : minute(endedAt), severity, query },
        ...{ "begun by": rule, alerts, messages },
      })),
    ),
    ...section(
      "By day and rule",
      days.map(({ date, rule, alerts, messages }) => ({ date, rule, alerts, ...messages })),
    ),
    ...section("By receiver", receivers.map(receiverRow)),
    ...section(
      "Loudest",
      loudest.map(({ rule, query, labels, alerts, messages }) => ({
        rule,
        query,
        of: labelText(labels),
        alerts,
        messages,
      })),
    ),
    ...section(
      "As people judged real alerts of the same time",
      precision.map(({ rule, relevant, notRelevant, share }) => ({
        rule,
        relevant,
        "not relevant": notRelevant,
        precision: formatShare(share),
      })),
    ),
  ];
}

/** `, 14 of them in 3 incidents`. */
function inIncidents({ incidents }: BacktestReport): string {
  if (incidents.length === 0) return "";
  const inside = incidents.reduce((sum, { alerts }) => sum + alerts, 0);
  return ` (${formatNumber(inside)} in ${counted(incidents.length, "incident")})`;
}

/** What differs between two versions of the rules. */
export function formatComparison(comparison: Comparison): readonly string[] {
  const { alerts, incidents, messages, same, differences } = comparison;
  return [
    "",
    `Against the old rules: ${alerts.before} → ${counted(alerts.after, "alert")}, ${incidents.before} → ${counted(incidents.after, "incident")}, ${messages.before} → ${counted(messages.after, "message")}; ${same} the same, ${differences.length} different`,
    ...differences.flatMap(formatDifference),
  ];
}

function formatDifference({ kinds, rule, query, labels, before, after, reason }: Difference): string[] {
  const of = labelText(labels);
  const times = [before, after]
    .filter((seen) => seen !== null)
    .map(({ openedAt, severity }) => `${minute(openedAt)} ${severity}`);
  return [
    `  ${kinds.join(", ").padEnd(8)}  ${rule}  ${query}${of === "" ? "" : ` (${of})`}  ${[...new Set(times)].join(" → ")}`,
    `            ${reason}`,
  ];
}

function section(title: string, rows: readonly Readonly<Record<string, unknown>>[]): string[] {
  if (rows.length === 0) return [];
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return ["", title, formatTable(rows, columns)];
}

function receiverRow({
  receiver,
  messages,
  alerts,
  alertsAWeek,
  throttled,
  throttleShare,
  withheld,
}: ReportedReceiver) {
  return {
    receiver,
    messages,
    alerts,
    "alerts a week": alertsAWeek,
    throttled: throttled === 0 ? 0 : `${throttled} (${formatShare(throttleShare)})`,
    "held or not sent": Object.entries(withheld)
      .map(([reason, n]) => `${n} × ${wordsOf(reason)}`)
      .join("; "),
  };
}

function learned({ learnedFrom, from }: BacktestReport): string {
  return learnedFrom === null || learnedFrom >= from ? "" : `; learned since ${minute(learnedFrom)}`;
}

/** `2026-03-02 08:15 UTC`. */
function minute(iso: string): string {
  return `${iso.slice(0, 16).replace("T", " ")} UTC`;
}
