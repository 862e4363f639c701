import { groupBy } from "../../lib/group-by.ts";
import { formatNumber } from "../../lib/numbers.ts";
import type { SentAlert } from "../model/digest.ts";
import type { UnneededView } from "../templates/digest-view.ts";

/** What would have spared the messages of a rule that nobody needed. `spared`: how many messages. */
type RuleChange =
  /** `atLeast` of its count: all on which somebody acted had so many, and those that it spares had fewer. */
  | { readonly outcome: "RaiseCount"; readonly to: number; readonly spared: number }
  /** The same for the followers of the author of single mentions. */
  | { readonly outcome: "RaiseFollowers"; readonly to: number; readonly spared: number }
  /** Nobody acted on any: they may stay on the console. */
  | { readonly outcome: "KeepOnConsole"; readonly spared: number }
  /** No limit parts them from those on which somebody acted. */
  | { readonly outcome: "NothingPartsThem" }
  /** Too few to change a rule for. */
  | { readonly outcome: "TooFew" };

const FEWEST = 3;

/** `alerts` are of one rule, each once. Alerts that still go on may yet be needed, and count as such. */
export function decideChange(alerts: readonly SentAlert[]): RuleChange {
  const unneeded = alerts.filter(isUnneeded);
  const needed = alerts.filter((one) => !isUnneeded(one));
  if (unneeded.length < FEWEST) return { outcome: "TooFew" };
  if (needed.length === 0) return { outcome: "KeepOnConsole", spared: messagesOf(unneeded) };
  const name = alerts.every(({ count }) => count !== null) ? "count" : "followers";
  const least = Math.min(...needed.map((one) => one[name] ?? 0));
  const below = unneeded.filter((one) => (one[name] ?? least) < least);
  if (2 * below.length < unneeded.length) return { outcome: "NothingPartsThem" };
  const to = 1 + Math.max(...below.map((one) => one[name] ?? 0));
  const outcome = name === "count" ? "RaiseCount" : "RaiseFollowers";
  return { outcome, to, spared: messagesOf(below) };
}

/** It is over, and nobody acknowledged, took or resolved it, or somebody said that it was not relevant. */
function isUnneeded({ isOver, acted }: SentAlert): boolean {
  return isOver && !acted;
}

/** The messages of a period that nobody needed, by receiver and by rule; null if there were none. */
export function summarizeUnneeded(
  sent: readonly SentAlert[],
  titleOf: (rule: string) => string,
): UnneededView | null {
  const unneeded = sent.filter(isUnneeded);
  if (unneeded.length === 0) return null;
  const receivers = [...groupBy(sent, ({ receiver }) => receiver)].map(([receiver, group]) => ({
    receiver,
    messages: messagesOf(group),
    unneeded: messagesOf(group.filter(isUnneeded)),
  }));
  const rules = [...groupBy(sent, ({ rule }) => rule)].map(([rule, group]) => {
    // An alert that several receivers got is one alert, with all its messages.
    const alerts = [...groupBy(group, ({ alertId }) => alertId).values()].flatMap((same) =>
      same.slice(0, 1).map((one) => ({ ...one, messages: messagesOf(same) })),
    );
    return {
      rule,
      title: titleOf(rule),
      messages: messagesOf(group),
      unneeded: messagesOf(group.filter(isUnneeded)),
      remedy: describeChange(rule, decideChange(alerts)),
    };
  });
  const byUnneeded = (a: { readonly unneeded: number }, b: { readonly unneeded: number }) =>
    b.unneeded - a.unneeded;
  return {
    receivers: receivers.filter((one) => one.unneeded > 0).sort(byUnneeded),
    rules: rules.filter((one) => one.unneeded > 0).sort(byUnneeded),
  };
}

/** A sentence with what to write into which file; null: there is no change to propose. */
function describeChange(rule: string, change: RuleChange): string | null {
  switch (change.outcome) {
    case "RaiseCount":
      return `in rules/${rule}.yaml, atLeast: ${change.to} would have spared ${formatNumber(change.spared)} of them, and none on which somebody acted`;
    case "RaiseFollowers":
      return `in rules/${rule}.yaml, followers: { atLeast: ${change.to} } would have spared ${formatNumber(change.spared)} of them, and none on which somebody acted`;
    case "KeepOnConsole":
      return `nobody acted on any; above the other routes, { name: ${rule} on the console, match: { rule: ${rule} }, receivers: [] } would have spared all ${formatNumber(change.spared)}`;
    case "NothingPartsThem":
    case "TooFew":
      return null;
  }
}

function messagesOf(alerts: readonly SentAlert[]): number {
  return alerts.reduce((sum, { messages }) => sum + messages, 0);
}
