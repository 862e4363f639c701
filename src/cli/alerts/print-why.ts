import {
  type Alert,
  type AlertWhy,
  attemptName,
  countedBy,
  describePrecision,
  formatTime,
  type MentionWhy,
  namesInList,
  type RuleObservation,
  shortCount,
  type TextVerdict,
  type UnreadMention,
  wordsOf,
} from "#monitor";
import { formatDuration } from "../../lib/duration.ts";
import type { Instant } from "../../lib/instant.ts";
import { counted } from "../../lib/numbers.ts";
import { padToWidth } from "../common/text-width.ts";

/** The message that shows it, if it has none of its own. */
function incidentLine({ alert, incident: found }: AlertWhy): string[] {
  if (found === null) return [];
  const { id, status, alerts, leaderId } = found.incident;
  const shownIn = leaderId === alert.id ? "which it began" : `shown in the messages about alert ${leaderId}`;
  return [`  in incident ${id} (${status}, ${counted(alerts, "alert")}), ${shownIn}`];
}

/** Formats an alert's whole history for a terminal, one line per item. */
export function printAlert(explained: AlertWhy, timezone = "UTC"): string[] {
  const moment = (at: Instant): string => formatTime(at, timezone);
  const { alert, history, receivers, notified, unusedRoutes, notifications } = explained;
  const opened = alert.state === "pending" ? "" : `, opened ${moment(alert.openedAt)}`;
  const handling = [
    alert.handling?.assignee && `assigned to ${alert.handling.assignee}`,
    alert.handling?.acknowledgedBy && `acknowledged by ${alert.handling.acknowledgedBy}`,
    alert.handling?.relevant === false && "marked not relevant",
  ].filter((text) => typeof text === "string" && text !== "");
  return [
    `${alert.severity.toUpperCase()} ${alert.queryName}: ${alert.rule}  (${alert.id})`,
    `  ${alert.state} since ${moment(stateSince(alert, history))}${opened}, ${countedBy(alert)}${handling.map((text) => `, ${text}`).join("")}`,
    ...incidentLine(explained),
    "",
    "What the rule measured",
    ...measured(explained, moment),
    "",
    "What happened",
    ...history.map(
      (event) =>
        `  ${moment(event.at)}  ${event.what.padEnd(22)} ${wordsOf(event.what)}${event.detail === "" ? "" : `: ${event.detail}`}`,
    ),
    "",
    "Receivers",
    ...(receivers.length === 0 ? ["  no route leads to anybody"] : []),
    ...notified.map(
      ({ receiver, text, reason }) =>
        `  ${padToWidth(receiver, 16)} ${text}${reason === null ? "" : ` [${reason}]`}`,
    ),
    ...(unusedRoutes.length === 0 ? [] : ["", "Routes that do not take it"]),
    ...unusedRoutes.map(
      ({ name, receivers: missed, because }) =>
        `  ${padToWidth(name, 16)} ${because}${missed.length === 0 ? "" : ` (to ${missed.join(", ")})`}`,
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

function measured({ alert, rule, precision }: AlertWhy, moment: (at: Instant) => string): string[] {
  const { first, peak, step } = alert.progress ?? {};
  return [
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
  ];
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
      ...(rules.length === 0 ? ["  there are no rules"] : []),
      ...rules.flatMap((one) => printObservation(one, moment)),
      "",
    ].map(plain),
    ...alerts.flatMap((alert) => ["", ...printAlert(alert, timezone)]),
  ];
}

function printObservation(
  { rule, outcome, because, matchedAt, alertId, window }: RuleObservation,
  moment: (at: Instant) => string,
): string[] {
  const name = `  ${padToWidth(rule, 28)}`;
  const where = alertId === null ? "" : ` (alert ${alertId})`;
  if (outcome === "Alerted")
    return [`${name} met ${matchedAt === null ? "" : moment(matchedAt)}: ${because}${where}`];
  const indent = " ".repeat(31);
  const numbers = Object.entries(window?.values ?? {})
    .map(([value, number]) => `${value} ${Number(number.toPrecision(4))}`)
    .join(", ");
  return [
    `${name} not alerted: ${because}${where} [${outcome}]`,
    ...(window === null
      ? []
      : [`${indent}window ${moment(window.from)} to ${moment(window.to)}: ${numbers}`]),
    ...(window?.countsFrom == null
      ? []
      : [
          `${indent}counted again from ${moment(window.countsFrom)} on: what was usual then may have been different`,
        ]),
  ];
}

/** Formats why a mention is not stored, or what a text would meet. */
export function printUnread({ asked, queries, withheld, rules }: UnreadMention, isText: boolean): string[] {
  const nameOf = namesInList(queries);
  const headline = isText ? "A text that is no mention" : `No mention "${asked}" is stored`;
  return [
    headline,
    ...(isText ? [] : ["  (nor an alert with this id)"]),
    "",
    "The queries",
    ...(queries.length === 0 ? ["  no query is watched"] : []),
    ...queries.map(
      (query) => `  ${padToWidth(nameOf(query), 28)} ${query.because}${isText ? "" : ` [${query.outcome}]`}`,
    ),
    ...(withheld.length === 0
      ? []
      : ["", `Withheld by the source's policy, so that no rule can search in it: ${withheld.join(", ")}`]),
    ...(rules === null ? [] : ["", "What the rules would make of it alone", ...rules.map(printVerdict)]),
  ].map(plain);
}

function printVerdict({ rule, kind, met, because }: TextVerdict): string {
  const would = kind === "mention" ? "met" : "counted";
  return `  ${padToWidth(rule, 28)} ${met ? would : "not met"}: ${because}`;
}

/** Names and texts come from strangers: removes control characters. */
function plain(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}]/gu, " ");
}
