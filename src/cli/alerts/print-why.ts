import type { AlertWhy, MentionWhy, RuleObservation } from "../../alerts/actions/why.ts";
import { formatDuration } from "../../lib/duration.ts";
import type { Instant } from "../../lib/instant.ts";
import { counted } from "../../lib/numbers.ts";
import type { Alert } from "../../model/alert.ts";
import { describePrecision } from "../../model/alert-action.ts";
import { attemptName, wordsOf } from "../../model/wording.ts";
import { shortCount } from "../../templates/alert-words.ts";
import { formatTime } from "../../templates/formatters.ts";
import { padToWidth } from "../text-width.ts";

/** Formats an alert's whole history for a terminal, one line per item. */
export function printAlert(explained: AlertWhy, timezone = "UTC"): string[] {
  const moment = (at: Instant): string => formatTime(at, timezone);
  const { alert, rule, precision, history, receivers, notifications } = explained;
  const opened = alert.state === "pending" ? "" : `, opened ${moment(alert.openedAt)}`;
  const { first, peak, step } = alert.progress ?? {};
  const handling = [
    alert.handling?.assignee && `assigned to ${alert.handling.assignee}`,
    alert.handling?.acknowledgedBy && `acknowledged by ${alert.handling.acknowledgedBy}`,
    alert.handling?.relevant === false && "marked not relevant",
  ].filter((text) => typeof text === "string" && text !== "");
  return [
    `${alert.severity.toUpperCase()} ${alert.queryName}: ${alert.rule}  (${alert.id})`,
    `  ${alert.state} since ${moment(stateSince(alert, history))}${opened}, ${counted(alert.mentions, "mention")}${handling.map((text) => `, ${text}`).join("")}`,
    "",
    "What the rule measured",
    `  ${alert.because}`,
    ...(step === undefined ? [] : [`  it is ${alert.severity} because it reached ${step}`]),
    ...(first === undefined || peak === undefined
      ? []
      : [`  ${shortCount(first)} when it fired, ${shortCount(peak)} at the peak (${moment(peak.at)})`]),
    ...(alert.windowTo > alert.windowFrom
      ? [`  window ${moment(alert.windowFrom)} to ${moment(alert.windowTo)}`]
      : []),
    ...Object.entries(alert.values).map(([name, value]) => `  ${name} ${Number(value.toPrecision(4))}`),
    ...(rule === null
      ? ["  the rule is there no longer"]
      : [
          `  rule: ${rule.description.split("\n")[0]}${rule.forMs > 0 ? ` (for ${formatDuration(rule.forMs)})` : ""}`,
        ]),
    `  in its 30 days before: ${describePrecision(precision, 30)}`,
    "",
    "What happened",
    ...history.map(
      (event) =>
        `  ${moment(event.at)}  ${event.what.padEnd(22)} ${wordsOf(event.what)}${event.detail === "" ? "" : `: ${event.detail}`}`,
    ),
    "",
    "Receivers",
    ...(receivers.length === 0 ? ["  no route leads to anybody"] : []),
    ...receivers.map(
      (one) =>
        `  ${padToWidth(one.receiver, 16)} ${wordsOf(one.last)} (${one.last})${one.notifiedAt === null ? ", never notified" : `, notified ${moment(one.notifiedAt)}`}${one.nextAt === null ? "" : `, checked again ${moment(one.nextAt)}`}`,
    ),
    "",
    "What the deliveries answered",
    ...(notifications.length === 0 ? ["  nothing was sent"] : []),
    ...notifications.flatMap((one) => [
      `  ${moment(one.createdAt)}  ${one.receiver}: ${wordsOf(one.reason)} (${one.reason})${one.alertId === alert.id ? "" : `, in the message about alert ${one.alertId}`}, ${one.state}${one.lastError === null ? "" : `: ${one.lastError}`}`,
      ...one.deliveries.map(
        (delivery) =>
          `      ${attemptName(delivery.attempt)}: ${delivery.outcome}${delivery.detail === "" ? "" : `: ${delivery.detail}`}`,
      ),
    ]),
  ].map(plain);
}

/** When the alert entered its current state. */
function stateSince(
  { state, openedAt, firedAt, resolvedAt, handling }: Alert,
  history: AlertWhy["history"],
): Instant {
  switch (state) {
    case "pending":
      return openedAt;
    case "firing":
      return handling?.callingSince ?? firedAt ?? openedAt;
    case "acknowledged":
      return (
        history.findLast(({ what }) => what === "AcknowledgedBy" || what === "AssignedBy")?.at ??
        firedAt ??
        openedAt
      );
    case "resolved":
      return resolvedAt ?? openedAt;
  }
}

/** Formats what each rule made of a mention, and every alert that it led to. */
export function printMention(explained: MentionWhy, timezone = "UTC"): string[] {
  const moment = (at: Instant): string => formatTime(at, timezone);
  const { mention, queryName, seenAt, rules, alerts } = explained;
  return [
    ...[
      `Mention ${mention.resourceId} in ${queryName}`,
      `  by ${mention.author ?? "unknown"}, ${mention.sentiment ?? "no sentiment"}, published ${mention.publishedAt === null ? "at a time that is withheld" : moment(mention.publishedAt)}`,
      `  at the source since ${moment(mention.addedAt)}, read first ${moment(seenAt)}`,
      "",
      "What the rules make of it",
      ...(rules.length === 0 ? ["  no rule is about this query"] : []),
      ...rules.map((one) => printObservation(one, moment)),
      "",
    ].map(plain),
    ...alerts.flatMap((alert) => ["", ...printAlert(alert, timezone)]),
  ];
}

function printObservation(
  { rule, kind, met, because, matchedAt, alertId }: RuleObservation,
  moment: (at: Instant) => string,
): string {
  const name = `  ${padToWidth(rule, 28)}`;
  if (matchedAt !== null) return `${name} met ${moment(matchedAt)}: ${because} (alert ${alertId})`;
  if (!met) return `${name} not met${because === null ? "" : `: ${because}`}`;
  if (kind !== "mention") return `${name} counted${because === null ? "" : `: ${because}`}`;
  return `${name} met as it is now, but led to no alert: ${because} (the rule or the mention has changed, or it came before the query was watched)`;
}

/** Names and texts come from strangers: removes control characters. */
function plain(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}]/gu, " ");
}
