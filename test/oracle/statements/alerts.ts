import { CATEGORY, type Context, type Statement, SUBJECT, sliceOf, type Verdict } from "../grammar.ts";
import { LENGTH, momentsOf, NUMBER, show, TIME, toLength, toNumber } from "../times.ts";
import { BUCKET, judgeAny, judgeBounds, largestIn, usualIn, windowsAsSaid } from "../windows.ts";
import { DAY, HOUR, MINUTE, type Moment, type Slice } from "../world.ts";

const re = (source: string) => new RegExp(source, "g");

/** A moment counts as now for so long: two buckets, the poll that brings them, and the step of the clock. */
const NOW_MS = 30 * MINUTE;
/** What a first message says may be half an hour old. */
const FRESH_MS = 45 * MINUTE;

function slice(context: Context, subject: string): Slice | null {
  return sliceOf(subject, context.brand);
}

/** From the beginning of the first window of the alert until its end, or now. */
function span({ topic, message }: Context, widthMs: number): readonly [Moment, Moment] {
  const from = topic.since ?? message.at - DAY;
  return [from - widthMs, Math.min(topic.until ?? message.at, message.at)];
}

function keep({ said, topic }: Context, count: number, subject: string, widthMs: number): void {
  said.set("count", count);
  said.set("width", widthMs);
  topic.subject ??= subject;
  topic.widthMs = Math.max(topic.widthMs ?? 0, widthMs);
}

const subjectOf = ({ topic }: Context) => topic.subject ?? "mentions";

function judgePeak(context: Context, count: number, subject: string, length: string, time: string): Verdict {
  const widthMs = toLength(length);
  const meant = slice(context, subject === "" ? subjectOf(context) : subject);
  if (meant === null) return null;
  const { topic, message, recount } = context;
  const [from, to] = span(context, 0);
  const largest = largestIn(context, meant, widthMs, [from, Math.max(to, from)]);
  const { timezone } = recount.world;
  const wrong = judgeBounds(count, largest, `the most in ${length} since ${show(from, timezone)}`);
  if (wrong !== null) return `${wrong}, to ${show(largest.end, timezone)}`;
  if (time !== "") {
    const at = momentsOf(time, message.at, timezone, [topic.since ?? message.at]);
    const ends = at.map((end) => recount.bounds(meant, end - widthMs, end, message.at));
    if (!ends.some(({ least, most }) => count >= least && count <= most))
      return `not in the ${length} to ${time}: ${ends.map(({ most }) => most).join(", ")}`;
  }
  return null;
}

/** What messages about one alert say of counts and times. */
export const ALERT_STATEMENTS: readonly Statement[] = [
  {
    name: "count now",
    means: "So many of them were published in the last minutes before this message.",
    pattern: re(`(${NUMBER}) (${SUBJECT}) in (${LENGTH}) now`),
    judge: ([count = "", subject = "", length = ""], context) => {
      keep(context, toNumber(count), subject, toLength(length));
      const meant = slice(context, subject);
      const now = context.message.at;
      context.said.set("now", toNumber(count));
      return meant && judgeAny(context, toNumber(count), meant, toLength(length), [now - NOW_MS, now]);
    },
  },
  {
    name: "count at the start",
    means: "So many of them there were in the same length of time when the alert fired.",
    pattern: re(`(${NUMBER})(?: (${SUBJECT}))? when the alert fired`),
    judge: ([count = ""], context) => {
      const { since } = context.topic;
      const widthMs = context.said.get("width") ?? context.topic.widthMs;
      const meant = slice(context, subjectOf(context));
      context.said.set("first", toNumber(count));
      if (meant === null || widthMs === null || since === null) return null;
      return judgeAny(context, toNumber(count), meant, widthMs, [since - BUCKET, since + 45 * MINUTE]);
    },
  },
  {
    name: "peak",
    means: "The largest number of them in any such length of time of the alert, and when that time ended.",
    pattern: re(`[Pp]eak (?:of )?(${NUMBER})(?: (${SUBJECT}))? in (${LENGTH})(?: at (${TIME}))?`),
    judge: ([count = "", subject = "", length = "", time = ""], context) =>
      judgePeak(context, toNumber(count), subject, length, time),
  },
  {
    name: "count at the peak",
    means: "The largest number of them in any such length of time of the alert.",
    pattern: re(`(${NUMBER}) (${SUBJECT}) in (${LENGTH}) at the peak`),
    judge: ([count = "", subject = "", length = ""], context) => {
      keep(context, toNumber(count), subject, toLength(length));
      return judgePeak(context, toNumber(count), subject, length, "");
    },
  },
  {
    name: "earlier peak",
    means: "The largest number of them in such a length of time before it fell.",
    pattern: re(`(${NUMBER}) at the peak before`),
    judge: ([count = ""], context) => {
      const { widthMs } = context.topic;
      const meant = slice(context, subjectOf(context));
      return (
        (meant && widthMs && judgeAny(context, toNumber(count), meant, widthMs, span(context, 0))) || null
      );
    },
  },
  {
    name: "severity step",
    means: "The alert has this severity because there were at least so many in such a length of time.",
    pattern: re(String.raw`(?:critical|warning|info) because of at least (${NUMBER}) in (${LENGTH})`),
    judge: ([count = "", length = ""], context) => {
      const meant = slice(context, subjectOf(context));
      if (meant === null) return null;
      const { most, end } = largestIn(context, meant, toLength(length), span(context, 0));
      return most >= toNumber(count)
        ? null
        : `never: the most was ${most}, to ${show(end, context.recount.world.timezone)}`;
    },
  },
  {
    name: "share",
    means: "That part of the mentions of this length of time is negative.",
    pattern: re(
      String.raw`(?:under |over )?(\d+)% of (${NUMBER}) (mentions) in (${LENGTH}) are (negative|positive|neutral)`,
    ),
    judge: ([percent = "", among = "", whole = "", length = "", part = ""], context) => {
      const widthMs = toLength(length);
      context.topic.subject ??= `${part} mentions`;
      context.topic.widthMs ??= widthMs;
      const [all, some] = [slice(context, whole), slice(context, part)];
      if (all === null || some === null) return null;
      const { topic, message } = context;
      const from = topic.since === null ? message.at - DAY : topic.since - BUCKET;
      const fits = (end: Moment) => {
        const [total] = windowsAsSaid(context, all, widthMs, end, end);
        const [parts] = windowsAsSaid(context, some, widthMs, end, end);
        if (total === undefined || parts === undefined) return false;
        const n = toNumber(among);
        const least = Math.round((100 * parts.least) / Math.max(1, total.most));
        const most = Math.round((100 * parts.most) / Math.max(1, total.least));
        return n >= total.least && n <= total.most && Number(percent) >= least && Number(percent) <= most;
      };
      for (let end = Math.ceil(from / BUCKET) * BUCKET; end <= message.at; end += BUCKET)
        if (fits(end)) return null;
      return `no ${length} since then have ${among} of which ${percent}% are ${part}`;
    },
  },
  {
    name: "limit of the rule",
    means: "The rule asks for so much; it is written in the rule's file.",
    pattern: re(
      String.raw`\(?limit (?:${NUMBER}%?)(?: and ${NUMBER} points above usual)?(?:,? (?:among|of) at least ${NUMBER})?\)?|${NUMBER} points above usual, among at least ${NUMBER}|among at least ${NUMBER}|limit ${NUMBER}`,
    ),
    judge: () => null,
  },
  {
    name: "usual share",
    means:
      "The part that is usual for this brand: that of the days before, of which a crisis may have been one.",
    pattern: re(String.raw`(?:, |\()usually (?:under |over )?(\d+)%\)?`),
    judge: ([percent = ""], context) => {
      const part = slice(context, subjectOf(context));
      const all = slice(context, "mentions");
      const start = context.topic.since;
      if (part === null || all === null || start === null || context.line.includes("% (usually")) return null;
      const days: number[] = [];
      for (let to = start - 2 * HOUR; to > context.recount.first && days.length < 14; to -= DAY) {
        const whole = context.recount.in(all, to - DAY, to, context.message.at).length;
        const some = context.recount.in(part, to - DAY, to, context.message.at).length;
        if (whole > 0) days.push((100 * some) / whole);
      }
      days.sort((a, b) => a - b);
      const usual = days[Math.floor((days.length - 1) / 2)] ?? 0;
      return Math.abs(usual - Number(percent)) <= 10
        ? null
        : `${Math.round(usual)}% on the middle day of the two weeks before`;
    },
  },
  {
    name: "count in a window",
    means:
      "So many of them were published in that length of time, shortly before the message or at its news.",
    pattern: re(`(${NUMBER}) (${SUBJECT}) in (${LENGTH})`),
    judge: ([count = "", subject = "", length = ""], context) => {
      const widthMs = toLength(length);
      keep(context, toNumber(count), subject, widthMs);
      const meant = slice(context, subject);
      if (meant === null) return null;
      const { topic, message } = context;
      const from = topic.since === null ? message.at - FRESH_MS : topic.since - BUCKET;
      const to = Math.min(topic.until ?? message.at, message.at);
      return judgeAny(context, toNumber(count), meant, widthMs, [from, to]);
    },
  },
  {
    name: "expected",
    means: "What this brand has in that length of time at that hour on other days.",
    pattern: re(String.raw`(${NUMBER}) expected(?: at this hour)?`),
    judge: ([count = ""], context) => {
      context.said.set("expected", toNumber(count));
      // An alert of the same incident may count something else than what the message is about.
      const counted = new RegExp(`\\d (${SUBJECT}) in (?:${LENGTH})`).exec(context.line)?.[1];
      const meant = slice(context, counted ?? subjectOf(context));
      const widthMs = context.said.get("width");
      if (meant === null || widthMs === undefined) return null;
      const usual = usualIn(context, meant, widthMs, context.topic.since ?? context.message.at);
      if (usual === null) return null;
      const given = toNumber(count);
      const isNear = given <= 2.5 * usual + 2 && given >= usual / 2.5 - 2;
      return isNear ? null : `at that hour of the days before there were ${usual.toFixed(1)} on average`;
    },
  },
  {
    name: "factor",
    means: "The number divided by what was expected.",
    pattern: re(String.raw`\((${NUMBER})[×x]\)`),
    judge: ([factor = ""], { said }) => {
      const [count, expected] = [said.get("count"), said.get("expected")];
      if (count === undefined || expected === undefined)
        return "the numbers that it compares are not beside it";
      const half = expected >= 10 ? 0.5 : 0.06;
      const [least, most] = [count / (expected + half), count / Math.max(0.05, expected - half)];
      const given = toNumber(factor);
      return given >= least - 0.6 && given <= most + 0.6
        ? null
        : `${count} / ${expected} = ${(count / expected).toFixed(1)}`;
    },
  },
  {
    name: "times normal",
    means:
      "The number of the message divided by what it says was expected: that of the last hour, or where it says so of the peak.",
    pattern: re(
      String.raw`(At the peak, )?(?:[Nn]egative |[Pp]ositive )?(?:[Mm]entions|[Ss]tories)(?:${CATEGORY})? (?:are|were) (?:about )?(${NUMBER}) times what is normal on an? \w+ \w+`,
    ),
    judge: ([isPeak = "", factor = ""], context) => {
      const { message } = context;
      const measured = message.lines
        .map((line) =>
          new RegExp(`(${NUMBER}) (${SUBJECT}) in (${LENGTH}).*?, (${NUMBER}) expected`).exec(line),
        )
        .find((one) => one !== null);
      if (measured == null) return "the numbers that it compares are not in the message";
      const [, count = "", subject = "", width = "", expected = ""] = measured;
      const is = toNumber(count) / toNumber(expected);
      const given = toNumber(factor);
      // Whole numbers, and tens where they are large; what was expected has one digit after the point, below ten.
      const isWhole = toNumber(expected) >= 10 && !expected.includes(".");
      const rounded = (given < 20 ? 0.5 : 5) + (is * (isWhole ? 0.55 : 0.06)) / toNumber(expected);
      if (Math.abs(given - is) > rounded) return `${count} / ${expected} = ${is.toFixed(1)}`;
      const meant = slice(context, subject);
      if (isPeak !== "" || meant === null) return null;
      return judgeAny(context, toNumber(count), meant, toLength(width), [message.at - HOUR, message.at]);
    },
  },
  {
    name: "end and count",
    means: "How long it went on, and how many of them were published in that time.",
    pattern: re(String.raw`[Rr]esolved(?::[^:]{1,120}|,)? after (${LENGTH})(?:: (${NUMBER}) (${SUBJECT}))?`),
    judge: ([length = "", count = "", subject = ""], context) => {
      const { topic, message } = context;
      if (topic.since === null) return null;
      const end = topic.since + toLength(length);
      topic.until ??= end;
      if (end > message.at + MINUTE)
        return `it would end after this message, at ${show(end, context.recount.world.timezone)}`;
      if (count === "") return null;
      return judgeTotal(context, toNumber(count), subject, end);
    },
  },
  {
    name: "mentions so far",
    means: "How many of them were published since its first sign.",
    pattern: re(String.raw`(${NUMBER}) (${SUBJECT}) so far|, of (${NUMBER}) so far`),
    judge: ([count = "", subject = "", other = ""], context) =>
      judgeTotal(context, toNumber(count || other), subject || "mention", context.message.at),
  },
  {
    name: "since when",
    means: "When its first sign was complete: there were such mentions just before.",
    pattern: re(`(?:[Ss]ince|From|Opened|opened|[Ff]ired) (${TIME})`),
    judge: ([time = ""], context) => {
      const { topic, message, recount } = context;
      const since = momentsOf(time, message.at, recount.world.timezone, [topic.since ?? message.at]);
      // A page has several things beside each other, each with a time of its own.
      const at = (message.kind === "page" ? null : topic.since) ?? since[0] ?? message.at;
      if (!since.some((one) => Math.abs(one - at) < MINUTE))
        return `its thread said ${show(at, recount.world.timezone)}`;
      if (at > message.at) return "that is after this message";
      const widthMs = Math.max(topic.widthMs ?? 0, 30 * MINUTE) + HOUR;
      const all = recount.in(
        { brand: context.brand, test: () => true },
        at - widthMs,
        at + MINUTE,
        message.at,
      );
      return all.length > 0 ? null : `no mention in ${widthMs / MINUTE} min before`;
    },
  },
  {
    name: "last mention",
    means: "When the newest of them was counted.",
    pattern: re(`last (?:mention|seen) (?:at )?(${TIME})`),
    judge: ([time = ""], context) => {
      const { topic, message, recount } = context;
      const meant = slice(context, subjectOf(context)) ?? { brand: context.brand, test: () => true };
      const moments = momentsOf(time, message.at, recount.world.timezone, [topic.since ?? message.at]);
      const fits = moments.filter((at) => at <= message.at + MINUTE);
      if (fits.length === 0) return "that is after this message";
      const hasOne = fits.some(
        (at) => recount.bounds(meant, at - HOUR, at + 2 * MINUTE, message.at).most > 0,
      );
      return hasOne ? null : "none in the hour before";
    },
  },
  {
    name: "still so",
    means: "At that moment there were still more than the rule asks for, or as many as when it fired.",
    pattern: re(`still so at (${TIME})`),
    judge: ([time = ""], { topic, message, recount }) => {
      const moments = momentsOf(time, message.at, recount.world.timezone, [topic.since ?? message.at]);
      const fits = moments.some((at) => at <= message.at + MINUTE && at >= (topic.since ?? at));
      return fits ? null : "that is after this message, or before it began";
    },
  },
  {
    name: "end",
    means: "When it was over.",
    pattern: re(`to (${TIME})(?=\\.|$| ·)`),
    judge: ([time = ""], context) => {
      const { topic, message, recount } = context;
      const moments = momentsOf(time, message.at, recount.world.timezone, [topic.since ?? message.at]);
      if (topic.until === null) return null;
      const { until } = topic;
      // From a day on its length is said to the hour.
      const margin = topic.since !== null && until - topic.since >= DAY ? HOUR / 2 : MINUTE;
      return moments.some((at) => Math.abs(at - until) <= margin)
        ? null
        : `its length says ${show(until, recount.world.timezone)}`;
    },
  },
  {
    name: "mentions of an alert",
    means: "So many mentions belong to the alert.",
    pattern: re(`^(${NUMBER}) (${SUBJECT})$`),
    judge: ([count = "", subject = ""], context) =>
      judgeTotal(context, toNumber(count), subject, context.message.at),
  },
  {
    name: "more mentions",
    means: "So many others belong to the same alert.",
    pattern: re(String.raw`(?:and|,) (${NUMBER}) more mentions?`),
    judge: ([count = ""], context) =>
      judgeTotal(context, toNumber(count) + 1, "mentions", context.message.at),
  },
  {
    name: "waited",
    means: "So long nobody has acknowledged it.",
    pattern: re(`(?:Nobody|nobody) (?:has )?acknowledged it in (${LENGTH})`),
    judge: ([length = ""], { topic, message }) => {
      if (topic.since === null) return null;
      const most = message.at - topic.since + 10 * MINUTE;
      return toLength(length) <= most ? null : "longer than it is open";
    },
  },
  {
    name: "length so far",
    means: "How long it goes on already.",
    pattern: re(String.raw`\[[A-Z]+, (${LENGTH})\]`),
    judge: ([length = ""], { topic, message }) =>
      topic.since === null || toLength(length) <= message.at - topic.since + MINUTE
        ? null
        : "longer than it is open",
  },
  {
    name: "others in the message",
    means: "So many other alerts are in this message, or of this kind.",
    pattern: re(
      String.raw`And (${NUMBER}) more|… and (${NUMBER}) (?:more|others)|(${NUMBER}) (?:×|of them) `,
    ),
    judge: () => null,
  },
  {
    name: "length of a silence",
    means: "For so long nobody hears of it, if that link is followed.",
    pattern: re(`Snooze for (?:${LENGTH})`),
    judge: () => null,
  },
  {
    name: "such alerts",
    means: "How many such alerts came in the days before, this one included.",
    pattern: re(
      String.raw`the (\d+)(?:st|nd|rd|th) such alert in (?:a day|(\d+) days)|the first such alert in (\d+) days`,
    ),
    judge: ([nth = "", days = "", other = ""], { topic, message, recount }) => {
      const length = Number(days || other || 1) * DAY;
      // How many messages began such an alert is counted by the judge of all messages; here only what cannot be.
      return length <= 30 * DAY &&
        message.at - length >= recount.world.from - DAY &&
        (nth === "" || topic.since === null || Number(nth) >= 2)
        ? null
        : "nobody listened for so long";
    },
  },
  {
    name: "growth",
    means: "How many times as many there are now as when the alert fired.",
    pattern: new RegExp(`(${NUMBER}) times as many`, "gi"),
    judge: ([factor = ""], { said }) => {
      const [now, first] = [said.get("now"), said.get("first")];
      if (now === undefined || first === undefined) return null;
      const is = now / Math.max(1, first);
      return Math.floor(is) === toNumber(factor) ? null : `${now} / ${first} = ${is.toFixed(1)}`;
    },
  },
];

/** All mentions of a topic until `to`: since its first sign, or since the beginning of the window that showed it. */
function judgeTotal(context: Context, count: number, subject: string, to: Moment): Verdict {
  const { topic, message, recount } = context;
  if (topic.since === null) return null;
  const known = Math.max(to, message.at);
  if (topic.widthMs === null) {
    // Which mentions belong to such an alert, only its rule says: no more than there are.
    const all = recount.bounds(
      { brand: context.brand, test: () => true },
      topic.since - 12 * HOUR,
      to + MINUTE,
      known,
    );
    return count <= all.most ? null : `there were only ${all.most}`;
  }
  const meant = slice(context, subject);
  if (meant === null) return null;
  const end = Math.min(to, message.at);
  const narrow = recount.bounds(meant, topic.since, end - BUCKET, message.at);
  // It may have fired in a window of twice the width of its sentence.
  const wide = recount.bounds(meant, topic.since - 2 * topic.widthMs - BUCKET, end + BUCKET, message.at);
  return judgeBounds(
    count,
    { least: narrow.least, most: wide.most },
    `${subject} since ${show(topic.since, recount.world.timezone)}`,
  );
}
