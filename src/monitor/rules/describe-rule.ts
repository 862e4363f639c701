import { formatDuration, formatMinutes } from "../../lib/duration.ts";
import { MINUTE } from "../../lib/instant.ts";
import { capitalised } from "../../lib/text.ts";
import { BUCKET_MS } from "../model/judging.ts";
import type { RuleDelay } from "../model/rule-page.ts";
import { everyMention } from "./combine-predicates.ts";
import { GROUP_KEYS, type GroupKey } from "./group-key.ts";
import type { Rule } from "./rule.ts";

/** What a rule says, in plain words, one line for each question. It holds names from the file. */
export function describeRule(rule: Rule): readonly { readonly label: string; readonly text: string }[] {
  const { queries, groupBy, forMs, reopenWithinMs, catchUp, extraLabels } = rule;
  const labels = Object.entries(extraLabels).map(([name, value]) => `${name}: ${value}`);
  return [
    { label: "What alerts", text: sentence(opensOn(rule)) },
    ...(rule.kind === "mention" || rule.when.form === everyMention.form
      ? []
      : [
          {
            label: rule.kind === "new" ? "Looks at" : "Counts",
            text: sentence(`mentions that are: ${rule.when.label}`),
          },
        ]),
    { label: "Queries", text: queries === null ? "All queries." : sentence(queries.join(", ")) },
    { label: "Severity", text: sentence(severityOf(rule)) },
    ...(rule.kind === "mention" ? [{ label: "One alert for", text: sentence(groupWords(groupBy)) }] : []),
    ...(forMs === 0
      ? []
      : [
          { label: "Waits", text: `It must stay so for ${formatMinutes(forMs)} before anybody is notified.` },
        ]),
    { label: "Is resolved", text: sentence(endOf(rule)) },
    ...(reopenWithinMs === 0
      ? []
      : [
          {
            label: "Returns",
            text: `Within ${formatDuration(reopenWithinMs)} after its end it is the same alert, firing again.`,
          },
        ]),
    ...(catchUp === "in-order"
      ? []
      : [
          { label: "Catches up", text: "After a time without polls, new mentions alert before missed ones." },
        ]),
    ...(labels.length === 0 ? [] : [{ label: "Labels", text: sentence(labels.join(", ")) }]),
  ];
}

function opensOn(rule: Rule): string {
  if (rule.kind === "mention") return `each mention that is: ${rule.when.label}`;
  if (rule.kind === "window") return rule.window.inWords;
  const { facet, atLeast, withinMs, learnMs } = rule.novelty;
  const [article, users] = facet === "author" ? ["an", "mentions"] : ["a", "different authors"];
  return `${article} ${facet} that was never seen before, with ${atLeast} ${users} within ${formatMinutes(withinMs)}; it only learns for the first ${formatDuration(learnMs)}`;
}

function severityOf({ severity, severitySteps }: Rule): string {
  const steps = severitySteps.map(({ severity: other, words }) => `${other} from ${words.join(", or ")}`);
  return [severitySteps.length === 0 ? severity : `${severity} at first`, ...steps].join("; ");
}

function groupWords(keys: readonly GroupKey[]): string {
  const known = GROUP_KEYS.filter((key) => keys.includes(key)).map((key) =>
    key === "pageType" ? "page type" : key,
  );
  return known.length === 1 ? "a query: all its matches are one alert" : `the same ${known.join(", ")}`;
}

function endOf(rule: Rule): string {
  if (rule.overAfterMs === 0) return "when its counts are ordinary again";
  const what = rule.kind === "mention" ? "without another such mention" : "in which it is not so any more";
  return `after ${formatDuration(rule.overAfterMs)} ${what}`;
}

function sentence(text: string): string {
  return `${capitalised(text)}.`;
}

/**
 * What a rule costs in delay. `pollMs`: the longest that a visible mention waits until its query is read; null if that
 * is not known yet.
 */
export function delayOf(rule: Rule, pollMs: number | null): RuleDelay {
  const poll = {
    what: "Poll",
    ms: pollMs,
    why: "until its query is read the next time, by the current plan",
  };
  const read = pollMs ?? 0;
  if (rule.kind !== "window") {
    const start =
      rule.kind === "new"
        ? "the mention that makes it large enough"
        : "the mention can be read at the source";
    return { earliestMs: 0, latestMs: pollMs === null ? null : read, start: `after ${start}`, parts: [poll] };
  }
  const [burst, even] = rule.window.looksMs;
  const start = burst === 0 ? "after the mention that reaches the limit" : "after it began to be so";
  const parts = [
    {
      what: "Window",
      ms: even,
      why:
        burst === 0
          ? "looked back at; a burst reaches the limit sooner, an even flow only at its end"
          : "must pass completely",
    },
    { what: "Step", ms: BUCKET_MS, why: "mentions are judged when their five minutes are over" },
    poll,
    ...(rule.forMs === 0 ? [] : [{ what: "For", ms: rule.forMs, why: "it must stay so for this time" }]),
  ];
  const least = burst + rule.forMs;
  return { earliestMs: least, latestMs: pollMs === null ? null : least + BUCKET_MS + read, start, parts };
}

/** `An alert comes at the earliest 15 min after the mention that reaches the limit, and at the latest after 21 min …` */
export function formatDelay({ earliestMs, latestMs, start }: RuleDelay): string {
  const earliest = earliestMs === 0 ? `some seconds ${start}` : `${lengthOf(earliestMs)} ${start}`;
  const latest =
    latestMs === null
      ? "how late is known after the first polls"
      : `while polls are on time, at the latest ${latestMs < MINUTE ? formatDuration(latestMs) : lengthOf(latestMs)} after it`;
  return `An alert comes at the earliest ${earliest}; ${latest}.`;
}

/** Rounded up: a delay is never promised to be shorter than it is. */
function lengthOf(ms: number): string {
  return formatMinutes(Math.ceil(ms / MINUTE) * MINUTE);
}
