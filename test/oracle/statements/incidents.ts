import { type Context, type Statement, sliceOf, type Verdict } from "../grammar.ts";
import { LENGTH, momentsOf, NUMBER, show, TIME, toLength, toNumber, wallOf } from "../times.ts";
import { BUCKET, judgeBounds, usualIn, windowsAsSaid } from "../windows.ts";
import { type Bounds, DAY, HOUR, MINUTE, type Moment, type Slice } from "../world.ts";

const re = (source: string) => new RegExp(source, "g");
const COUNTED = "(?:negative )?mentions?";
/** An hour counts as the last one for so long: the poll that brings it, and the step of the clock. */
const LATELY_MS = 45 * MINUTE;

/** What was counted of an incident, in one sentence. A row of a digest says above it how long that was. */
const SUMMARY: Statement = {
  name: "incident",
  means:
    "So many were published from the one time to the other, negative and in all, so many in the hour with most, and so many in the hour before the other time.",
  pattern: re(
    `(${NUMBER}) (${COUNTED})(?: of (${NUMBER}) in all)? from (${TIME}) to (${TIME})(?:; the most in one hour: (${NUMBER}), until (${TIME}))?(?:; in the last hour: (${NUMBER}))?`,
  ),
  judge: (
    [count = "", subject = "", all = "", fromTime = "", toTime = "", most = "", until = "", last = ""],
    context,
  ) => {
    const { recount, message } = context;
    const { timezone } = recount.world;
    const meant = sliceOf(subject, context.brand);
    const [from] = momentsOf(fromTime, message.at, timezone);
    if (meant === null || from === undefined) return "it does not say of what, or from when";
    const [to = from] = momentsOf(toTime, from, timezone);
    if (to > message.at) return "it ends after this message";
    const everything = { brand: context.brand, test: () => true };
    const bounds = (one: Slice) => recount.bounds(one, from, to, message.at);
    return (
      judgeBounds(toNumber(count), bounds(meant), "in that time") ??
      (all === "" ? null : judgeBounds(toNumber(all), bounds(everything), "in all in that time")) ??
      (most === "" ? null : judgeMost(context, meant, { from, to }, toNumber(most), until)) ??
      (last === ""
        ? null
        : judgeBounds(
            toNumber(last),
            recount.bounds(meant, to - HOUR, to, message.at),
            "in the hour before that time",
          )) ??
      judgeLength(context, from)
    );
  },
};

/** What the list of incidents of a digest says, before its rows are read as rows of alerts. */
export const INCIDENT_ROWS: readonly Statement[] = [
  SUMMARY,
  {
    name: "length of an incident",
    means: "So long it was from its first sign until it was calm.",
    pattern: re(`over after (${LENGTH})`),
    judge: ([length = ""], { topic }) => {
      topic.lastedMs = toLength(length);
      return null;
    },
  },
  {
    name: "alerts of an incident",
    means: "So many alerts belong to it: more than one, or it would be shown as that alert.",
    pattern: re(`(${NUMBER}) alerts? in it`),
    judge: ([count = ""]) => (toNumber(count) > 1 ? null : "one alert is no incident"),
  },
  {
    name: "incidents of the time",
    means: "So many incidents are in the list below.",
    pattern: re(`(${NUMBER}) incidents?(?=,|$)`),
    judge: ([count = ""], { message }) => {
      const rows = [/ alerts? in it$/, / alerts? in it ·/].map(
        (row) => message.lines.filter((line) => row.test(line)).length,
      );
      return rows.includes(toNumber(count)) ? null : `there are ${Math.max(...rows)}`;
    },
  },
];

/** What messages say of an incident: all alerts of a brand that belong together. */
export const INCIDENT_STATEMENTS: readonly Statement[] = [
  SUMMARY,
  {
    name: "day of an incident",
    means: "It is the day of so many, if that on which it began is the first.",
    pattern: /Day (\d+) begins/gi,
    judge: ([said = ""], { topic, message, recount }) => {
      if (topic.since === null) return null;
      const midnight = (at: Moment) => {
        const { year, month, day } = wallOf(at, recount.world.timezone);
        return Date.UTC(year, month, day);
      };
      const day = 1 + (midnight(message.at) - midnight(topic.since)) / DAY;
      return Number(said) === day ? null : `it is day ${day}`;
    },
  },
  {
    name: "last hour",
    means: "So many were published in the hour before this, and so many in the same hour of the day before.",
    pattern: re(
      `(${NUMBER}) (${COUNTED}) in the last hour(?:, (${NUMBER}) in the same hour of the day before)?`,
    ),
    judge: ([count = "", subject = "", before = ""], context) => {
      const { message } = context;
      const meant = sliceOf(subject, context.brand);
      if (meant === null) return null;
      const at = [message.at - LATELY_MS, message.at] as const;
      const holds = ({ least, most }: Bounds, number: string) =>
        toNumber(number) >= least && toNumber(number) <= most;
      const fits = windowsAsSaid(context, meant, HOUR, ...at).some((now) => {
        if (!holds(now, count)) return false;
        if (before === "") return true;
        const [then] = windowsAsSaid(context, meant, HOUR, now.end - DAY, now.end - DAY);
        return then !== undefined && holds(then, before);
      });
      return fits ? null : "no hour that ended just before the message has that";
    },
  },
  {
    name: "growth of an incident",
    means:
      "So many were published in the 15 minutes to that time, or just before, and so many in 15 minutes that time earlier.",
    pattern: re(
      `(${NUMBER}) (${COUNTED}) in (?:15 min|the 15 min to (${TIME})), up from (${NUMBER}) \\((${LENGTH}) earlier\\)`,
    ),
    judge: ([count = "", subject = "", time = "", before = "", earlier = ""], context) => {
      const { message, topic, recount } = context;
      const meant = sliceOf(subject, context.brand);
      if (meant === null) return null;
      const about = [topic.since ?? message.at];
      const ends = time === "" ? [message.at] : momentsOf(time, message.at, recount.world.timezone, about);
      const fits = ends.some((end) =>
        windowsAsSaid(context, meant, 15 * MINUTE, end - LATELY_MS, Math.min(end, message.at)).some((now) => {
          if (toNumber(count) < now.least || toNumber(count) > now.most) return false;
          const endBefore = now.end - toLength(earlier);
          const then = windowsAsSaid(context, meant, 15 * MINUTE, endBefore - BUCKET, endBefore + BUCKET);
          return then.some(({ least, most }) => toNumber(before) >= least && toNumber(before) <= most);
        }),
      );
      return fits ? null : "no quarter of an hour just before that has that";
    },
  },
  {
    name: "growth",
    means: "How many times as many there are now as at the time that is named.",
    pattern: new RegExp(`(${NUMBER}) times as many(?=.* up from )`, "gi"),
    judge: ([factor = ""], { line }) => {
      const [, now = "0", before = "1"] =
        /(\d[\d,]*) [a-z ]+ in (?:15|the 15) min[^(]*?, up from (\d[\d,]*)/.exec(line) ?? [];
      const is = toNumber(now) / Math.max(1, toNumber(before));
      return Math.floor(is) === toNumber(factor) ? null : `${now} / ${before} = ${is.toFixed(1)}`;
    },
  },
  {
    name: "all of an incident",
    means: "So many were published from its beginning to its end.",
    pattern: re(`(${NUMBER}) (${COUNTED}) in all(?=$|\\.| ·)`),
    judge: ([count = "", subject = ""], context) => {
      const { recount, message, topic } = context;
      const meant = sliceOf(subject, context.brand);
      if (meant === null || topic.since === null) return null;
      // Beside it stands from when to when it is counted.
      const { countedFrom, countedTo } = topic;
      if (countedFrom !== null && countedTo !== null)
        return judgeBounds(
          toNumber(count),
          recount.bounds(meant, countedFrom, countedTo, message.at),
          "in that time",
        );
      const to = Math.min(topic.until ?? message.at, message.at);
      const narrow = recount.bounds(meant, topic.since, to - BUCKET, message.at);
      const wide = recount.bounds(meant, topic.since - HOUR, to + BUCKET, message.at);
      return judgeBounds(toNumber(count), { least: narrow.least, most: wide.most }, "in that time");
    },
  },
  {
    name: "calm for",
    means: "For so long there was no more than a tenth of the largest hour, or than is ordinary.",
    pattern: re(`it had been calm for (${LENGTH})`),
    judge: ([length = ""], context) => {
      const { message } = context;
      // The half hour that ends the calm is no part of it, and neither is what arrived since.
      const to = message.at - LATELY_MS;
      return judgeCalm(context, message.at - toLength(length) + HOUR / 2, to);
    },
  },
  {
    name: "calm since",
    means:
      "From then on there was no more than a tenth of the largest hour, or than is ordinary, until another one began.",
    pattern: re(`Calm since (${TIME})`),
    judge: ([time = ""], context) => {
      const { recount, message, topic } = context;
      const moments = momentsOf(time, message.at, recount.world.timezone, [topic.since ?? message.at]);
      const since = moments.find((at) => at <= message.at && at >= (topic.since ?? 0) - MINUTE);
      if (since === undefined) return "that is before it began, or after this message";
      const next = Math.min(
        message.at,
        ...context.begun.filter((at) => at > since).map((at) => at - HOUR / 2),
      );
      return judgeCalm(context, since + HOUR / 2, next);
    },
  },
  {
    name: "over",
    means: "When it was found to be over: after its first sign, and before this was said.",
    pattern: re(`^(${TIME})(?= It is over$)`),
    judge: ([time = ""], { message, topic, recount }) => {
      const moments = momentsOf(time, message.at, recount.world.timezone, [topic.since ?? message.at]);
      const fits = moments.some((at) => at <= message.at + MINUTE && at >= (topic.since ?? 0));
      return fits ? null : "that is before it began, or after this message";
    },
  },
  {
    name: "joined",
    means:
      "When another alert of the same incident fired: it was open by then, and a mention was just before.",
    pattern: re(`(?<=^(?:[•-] )?)(${TIME})(?= [A-Z][^:]{1,80}(?:: |$))`),
    judge: ([time = ""], context) => {
      const { recount, message, topic } = context;
      const moments = momentsOf(time, message.at, recount.world.timezone, [topic.since ?? message.at]);
      const fits = moments.some(
        (at) =>
          at <= message.at &&
          recount.bounds({ brand: context.brand, test: () => true }, at - HOUR, at + MINUTE, message.at)
            .most > 0,
      );
      return fits ? null : "nothing was published in the hour before";
    },
  },
];

/** The length of a row ends where the last of its counts ends. Of more than a day only hours are said. */
function judgeLength({ topic: { since, lastedMs }, whole, recount }: Context, from: Moment): Verdict {
  if (since === null || lastedMs === null) return null;
  const { timezone } = recount.world;
  const ends = [...whole.matchAll(new RegExp(`from (${TIME}) to (${TIME})`, "g"))].flatMap(([, , end = ""]) =>
    momentsOf(end, from, timezone).slice(0, 1),
  );
  const to = Math.max(from, ...ends);
  return Math.abs(since + lastedMs - to) <= (lastedMs >= DAY ? HOUR : BUCKET)
    ? null
    : `its length says ${show(since + lastedMs, timezone)}`;
}

function judgeMost(
  { recount, message }: Context,
  slice: Slice,
  { from, to }: { readonly from: Moment; readonly to: Moment },
  count: number,
  time: string,
): Verdict {
  const { timezone } = recount.world;
  const hour = (end: Moment) =>
    recount.bounds(slice, Math.max(from, end - HOUR), Math.min(end, to), message.at);
  let largest: Bounds = { least: 0, most: 0 };
  for (let end = from; end < to + BUCKET; end += BUCKET) {
    const { least, most } = hour(end);
    largest = { least: Math.max(largest.least, least), most: Math.max(largest.most, most) };
  }
  const [until = to] = momentsOf(time, from, timezone);
  return (
    judgeBounds(count, largest, "the most in an hour") ??
    judgeBounds(count, hour(until), `in the hour until ${show(until, timezone)}`)
  );
}

/**
 * That no half hour which ends from `from` to `to` has more than a tenth of the largest hour of all, or much more than
 * the mean of that hour on the days before: three times as much, because what is ordinary is the result of a model, and
 * what chance adds.
 */
function judgeCalm(context: Context, from: Moment, to: Moment): Verdict {
  const { topic, message } = context;
  const meant = sliceOf(topic.subject ?? "mentions", context.brand);
  if (meant === null || topic.since === null) return null;
  const hours = windowsAsSaid(context, meant, HOUR, topic.since, message.at);
  const largest = Math.max(0, ...hours.map(({ most }) => most));
  for (const { end, least } of windowsAsSaid(context, meant, HOUR / 2, from, to)) {
    const usual = usualIn(context, meant, HOUR, end);
    if (usual === null) continue;
    const ordinary = 3 * usual + 3 * Math.sqrt(usual) + 4;
    if (2 * least > Math.max(ordinary, largest / 10))
      return `${least} in the half hour to ${show(end, context.recount.world.timezone)}`;
  }
  return null;
}
