import type { Context, Statement, Verdict } from "../grammar.ts";
import { NUMBER, toNumber } from "../times.ts";
import { DAY, type Fact, HOUR, MINUTE, type Moment } from "../world.ts";

/** `3h 20m`, `45m 10s`, `2d 4h`: how messages about Earshot itself say a length. */
export const LENGTH_OF_OURS = String.raw`\d+(?:d|h|m|s|ms)(?: \d+(?:h|m|s))?`;
const re = (source: string) => new RegExp(source, "g");
/** The polls and checks between what happened and what is said of it. */
const SLACK_MS = 15 * MINUTE;

/** What messages to operators say of Earshot itself, as far as mentions and the steps of the clock show it. */
export const OPERATOR_STATEMENTS: readonly Statement[] = [
  {
    name: "flood",
    means:
      "The rule opened so many alerts for the brand in so many minutes, and so many more would have opened since, each by a mention.",
    pattern: re(
      `it opened (${NUMBER}) alerts for .{1,60}? within (\\d+) minutes, and (${NUMBER}) more would have opened since`,
    ),
    judge: ([opened = "", minutes = "", more = ""], context) => {
      const { message, said } = context;
      said.set("flood", toNumber(opened));
      const times = shownOf(context, message.at - DAY);
      const lengthMs = Number(minutes) * MINUTE;
      const most = Math.max(0, ...times.map((from) => countIn(times, from, from + lengthMs)));
      if (most < toNumber(opened)) return `${minutes} minutes never brought more than ${most} mentions`;
      const rest = times.length - toNumber(opened);
      return toNumber(more) <= rest ? null : `only ${rest} mentions came besides`;
    },
  },
  {
    name: "end of a flood",
    means: "The rule opens alerts again after so many minutes in which fewer than that would have opened.",
    pattern: re(`after ten minutes with fewer than (${NUMBER})`),
    judge: ([limit = ""], { said }) =>
      said.get("flood") === toNumber(limit) ? null : "it was held at another number",
  },
  {
    name: "silence of a query",
    means:
      "So long no mention of it came, and on so many days before there were at least so many in these hours.",
    pattern: re(
      `no new mention for (${LENGTH_OF_OURS})\\. In the same hours of the last (\\d+) days there were (${NUMBER}) or more on three days of four`,
    ),
    judge: ([length = "", days = "", usual = ""], context) => {
      const { message } = context;
      const silentMs = toLength(length);
      const times = shownOf(context, message.at - (Number(days) + 1) * DAY);
      const newest = times.at(-1) ?? Number.NEGATIVE_INFINITY;
      // It is silent until now, or until what was read last.
      const end = newest + silentMs;
      if (end > message.at + MINUTE || end < message.at - HOUR)
        return `the newest came ${Math.round((message.at - newest) / MINUTE)} min before`;
      const counts = Array.from({ length: Number(days) }, (_, index) =>
        countIn(times, newest - (index + 1) * DAY - SLACK_MS, end - (index + 1) * DAY + SLACK_MS),
      );
      const busy = counts.filter((count) => count >= toNumber(usual)).length;
      return busy >= Math.floor(0.75 * counts.length) ? null : `the days had ${counts.join(", ")}`;
    },
  },
  {
    name: "silent queries",
    means: "So many brands had no mention in the last half hour.",
    pattern: re(`(${NUMBER}) queries that are usually busy at this hour bring no new mention`),
    judge: ([count = ""], { recount, message }) => {
      const talking = new Set(
        recount.all(message.at).flatMap(({ from, query }) => (from > message.at - HOUR / 2 ? query : [])),
      );
      const silent = recount.world.brands.filter((brand) => !talking.has(brand)).length;
      return toNumber(count) <= silent ? null : `only ${silent} were silent`;
    },
  },
  {
    name: "not watched",
    means:
      "So long nothing was read: the clock shows two moments so far from each other with nothing between.",
    pattern: re(`nothing was watched for (${LENGTH_OF_OURS})`),
    judge: ([length = ""], context) => judgeGap(context, toLength(length)),
  },
  {
    name: "jump of the clock",
    means: "So far the clock moved at once.",
    pattern: re(
      `(?:clock of this machine jumped (?:ahead|back|forward|backward)s? by|clock was ahead by) (${LENGTH_OF_OURS})`,
    ),
    judge: ([length = ""], context) => judgeGap(context, toLength(length)),
  },
  {
    name: "queries behind",
    means: "So many of all brands are not read up to the present, the one that is most behind by so much.",
    pattern: re(
      `(${NUMBER}) of (${NUMBER}) queries are behind, by up to (${LENGTH_OF_OURS}) \\(limit (${LENGTH_OF_OURS})\\)`,
    ),
    judge: ([behind = "", all = "", worst = "", limit = ""], { recount, message }) => {
      const { brands, from } = recount.world;
      if (toNumber(all) !== brands.length) return `there are ${brands.length}`;
      if (toNumber(behind) > toNumber(all)) return "more than there are";
      if (toLength(worst) < toLength(limit)) return "that is within the limit";
      return toLength(worst) <= message.at - from + HOUR ? null : "it is not watched for so long";
    },
  },
  {
    name: "late loop",
    means: "So much later than planned a process did its work, on average and at most, in the last minute.",
    pattern: re(
      String.raw`process \d+ on .{1,60}? is late: (${NUMBER}) ms on average in the last minute, (${NUMBER}) ms at most`,
    ),
    judge: ([mean = "", most = ""]) =>
      toNumber(mean) <= toNumber(most) ? null : "an average is not above the most",
  },
  {
    name: "lost posts",
    means: "From the one time to the other a feed was not read, which is so long.",
    pattern: re(
      String.raw`posts of (${LENGTH_OF_OURS}) are lost from the feed .{1,80}?, from (\d{4}-\S+?Z) to (\d{4}-\S+?Z)`,
    ),
    judge: ([length = "", from = "", to = ""], { message }) => {
      if (Date.parse(to) > message.at + MINUTE) return "that is after this message";
      const isMs = Date.parse(to) - Date.parse(from);
      return isNear(isMs, toLength(length)) ? null : `it is ${Math.round(isMs / MINUTE)} min`;
    },
  },
];

/** When the mentions of the brand were shown for the first time, in order. */
function shownOf({ recount, brand, message }: Context, since: Moment): readonly Moment[] {
  const shown = new Map<string, Moment>();
  const add = ({ id, query, from }: Fact) => {
    const key = `${query}\n${id}`;
    shown.set(key, Math.min(from, shown.get(key) ?? from));
  };
  for (const fact of recount.world.facts)
    if (fact.from <= message.at && (brand === null || fact.query === brand)) add(fact);
  return [...shown.values()].filter((at) => at >= since).sort((a, b) => a - b);
}

function countIn(times: readonly Moment[], from: Moment, to: Moment): number {
  return times.filter((at) => at >= from && at < to).length;
}

/** Two steps of the clock that lie so far from each other, before the message. */
function judgeGap({ recount, message }: Context, lengthMs: number): Verdict {
  const { steps = [] } = recount.world;
  const before = steps.filter((at) => at <= message.at);
  const gaps = before.slice(1).map((at, index) => at - (before[index] ?? at));
  if (gaps.some((gap) => isNear(gap, lengthMs))) return null;
  return `the clock moved by ${Math.round(Math.max(0, ...gaps) / MINUTE)} min at most`;
}

/** Only the two largest units are said, and a check finds it a little later. */
export function isNear(isMs: number, saidMs: number): boolean {
  return Math.abs(isMs - saidMs) <= Math.max(2 * MINUTE, 0.05 * isMs);
}

const UNITS: Readonly<Record<string, number>> = { d: DAY, h: HOUR, m: MINUTE, s: 1_000, ms: 1 };

export function toLength(text: string): number {
  let sum = 0;
  for (const [, count = "0", unit = ""] of text.matchAll(/(\d+)(d|h|ms|m|s)\b/g))
    sum += Number(count) * (UNITS[unit] ?? 0);
  return sum;
}
