import { type Context, lookedAt, type Statement, SUBJECT, sliceOf, type Verdict } from "../grammar.ts";
import { LENGTH, momentsOf, NUMBER, PERIOD, show, TIME, toLength, toNumber } from "../times.ts";
import { BUCKET, windowsIn } from "../windows.ts";
import { DAY, type Fact, HOUR, MINUTE, type Moment } from "../world.ts";

const re = (source: string) => new RegExp(source, "g");
const WEEKDAY = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)";
const NAME = String.raw`[^;,·|]{1,60}?`;

const meantBy = ({ topic, brand }: Context) =>
  lookedAt(topic.subject ?? "mentions", brand) ?? { brand, test: () => true };

/** Its windows cannot be compared: not mentions are counted, but their stories or authors. */
const isOfStories = ({ topic, brand }: Context) => sliceOf(topic.subject ?? "mentions", brand) === null;

/**
 * The times that a finding may be about, the likely ones first: the whole alert until now, or a window of it. What was
 * found out of one window stands in the message until there is more to say.
 */
function* spans({ topic, message }: Context): Generator<readonly [Moment, Moment]> {
  const since = topic.since ?? message.at - DAY;
  const widthMs = topic.widthMs ?? HOUR;
  const to = Math.min(topic.until ?? message.at, message.at);
  const starts = [since - widthMs, since, since - 2 * widthMs];
  if (topic.countedFrom !== null) starts.unshift(topic.countedFrom);
  // All of it, up to the bucket that was judged last.
  const ends = [to, to - BUCKET, to - 2 * BUCKET, to + BUCKET];
  if (topic.countedTo !== null) ends.unshift(topic.countedTo);
  for (const start of starts) for (const end of ends) yield [start, end];
  for (let end = Math.floor(to / BUCKET) * BUCKET; end >= since - BUCKET; end -= BUCKET)
    yield [end - widthMs, end];
}

/** The days of which a time without a date may be: of the message and its topic; a page is about the week before it. */
function daysOf({ topic, message }: Context): readonly Moment[] {
  const week = Array.from({ length: 7 }, (_, day) => message.at - day * DAY);
  return [topic.since ?? message.at, ...(message.kind === "page" ? week : [])];
}

function closest(values: readonly number[], to: number): number {
  return values.reduce(
    (best, one) => (Math.abs(one - to) < Math.abs(best - to) ? one : best),
    Number.POSITIVE_INFINITY,
  );
}

function nameOf({ name, author, site }: Fact): string {
  return name ?? author ?? site ?? "";
}

/** Two people may have one name, and no two one account. */
function accountOf({ name, author, site }: Fact): string {
  return author ?? name ?? site ?? "";
}

/** The text without what a repost changes: who is reposted, links, and signs. */
function wordsOf({ title, text }: Fact): string {
  const plain = `${title ?? ""} ${text ?? ""}`.toLowerCase().replaceAll(/\brt @\w+:?|https?:\S+/g, " ");
  return plain.replaceAll(/[^\p{L}\p{N}]+/gu, " ").trim();
}

function isCalled(fact: Fact, name: string): boolean {
  const shown = nameOf(fact).replaceAll(/\s+/g, " ").trim();
  return shown === name || (name.endsWith("…") && shown.startsWith(name.slice(0, -1)));
}

/** Says of chance differ where a thread says it twice in other words. */
function judgeChance([said = ""]: readonly string[], { topic }: Context): Verdict {
  if (/once a day/.test(said)) return "what comes once a day is no news";
  const earlier = topic.chances.find((one) => one !== said);
  topic.chances.push(said);
  return earlier === undefined ? null : `its thread said "${earlier}"`;
}

/** What messages about one alert found out: who, about what, since when. */
export const FINDING_STATEMENTS: readonly Statement[] = [
  {
    name: "chance",
    means: "How rarely so many come if nothing has happened; one alert has one answer.",
    pattern: re(
      String.raw`[Bb]y chance (about once (?:in ${NUMBER} (?:days|months|years)|a day)|less than once in 100 years)|Chance alone brings that (about once in ${NUMBER} (?:days|months|years)|less than once in 100 years)`,
    ),
    judge: ([one = "", two = ""], context) => judgeChance([one || two], context),
  },
  {
    name: "usual variation",
    means: "Nobody who reads the message can count it again.",
    pattern: re(
      String.raw`${NUMBER}[×x] (?:its|this query's) usual variation|at least ${NUMBER}× the usual variation`,
    ),
    judge: () => "a number that only the detector knows",
  },
  {
    name: "bursts of the week",
    means: "Nobody who reads the message can count bursts.",
    pattern: re(String.raw`\d+(?:st|nd|rd|th) such burst this week`),
    judge: () => "bursts are counted by the detector, not by readers",
  },
  {
    name: "history",
    means: "How long it was listened to before.",
    pattern: re(`Judged on (${LENGTH}) of history`),
    judge: ([length = ""], { recount, topic, message, brand }) => {
      const first = brand === null ? recount.first : recount.firstOf(brand);
      const known = (topic.since ?? message.at) - first;
      return Math.abs(known - toLength(length)) <= DAY + HOUR
        ? null
        : `the first mention is ${(known / DAY).toFixed(1)} days older`;
    },
  },
  {
    name: "arrived",
    means: "That part of the last mentions had been found, by what is usual.",
    pattern: re(
      `About \\d+% of the last (${LENGTH}) has arrived|Then about \\d+% of those (${LENGTH}) had arrived`,
    ),
    judge: () => null,
  },
  {
    name: "complete until",
    means: "What was published later was not read yet when this was said.",
    pattern: re(`complete until (${TIME})(?: only)?`),
    judge: ([time = ""], { recount, message, topic }) => {
      const { timezone, lagMs } = recount.world;
      const moments = momentsOf(time, message.at, timezone, [topic.since ?? message.at]);
      const oldest = message.at - lagMs - 20 * MINUTE;
      if (moments.some((at) => at >= oldest && at <= message.at + MINUTE)) return null;
      return `at ${show(message.at, timezone)} everything was read that is older than ${show(oldest, timezone)}`;
    },
  },
  {
    name: "more than usual since",
    means: "From then on the alert, its newest wave, or the one of it that is shown, had more than usual.",
    pattern: re(`more than usual since (${TIME})`),
    judge: ([time = ""], context) => {
      const { recount, message, topic } = context;
      const { timezone } = recount.world;
      const moments = momentsOf(time, message.at, timezone, daysOf(context));
      const since = topic.waveAt ?? topic.since ?? message.at;
      const meant = meantBy(context);
      const fits = moments.some(
        (at) =>
          (at <= since + BUCKET || rises(context, at)) &&
          recount.bounds(meant, at - BUCKET, at + 15 * MINUTE, message.at).most > 0,
      );
      return fits ? null : "there were none then, or it is later than the alert";
    },
  },
  {
    name: "most since",
    means: "No earlier time of that length that ended after that moment has so many.",
    pattern: re(`the most in (${LENGTH}) since (?:counting began on )?(${TIME}|${PERIOD})`),
    judge: ([length = "", since = ""], context) => {
      const { message, recount, topic, said } = context;
      if (!since.includes(":") || topic.since === null || isOfStories(context)) return null;
      const [from = 0] = momentsOf(since, message.at, recount.world.timezone);
      const widthMs = toLength(length);
      const meant = meantBy(context);
      const windows = windowsIn(context, meant, widthMs, from + BUCKET, topic.since - widthMs);
      const most = Math.max(0, ...windows.map(({ least }) => least));
      const to = Math.min(topic.until ?? message.at, message.at);
      const now = Math.max(
        said.get("count") ?? 0,
        ...windowsIn(context, meant, widthMs, topic.since, to).map((one) => one.most),
      );
      return most <= now ? null : `${most} in between`;
    },
  },
  {
    name: "mood",
    means: "That part of all mentions of the time is negative, and that is usual.",
    pattern: re(
      String.raw`(?:under |over )?(\d+)% of all mentions negative(?: \(usually (?:under |over )?(\d+)%\))?`,
    ),
    judge: ([percent = ""], context) => {
      const { recount, message } = context;
      const everything = { brand: context.brand, test: () => true };
      let nearest = Number.POSITIVE_INFINITY;
      for (const [from, to] of spans(context))
        for (const known of recount.knownAt(message.at)) {
          const all = recount.in(everything, from, to, known);
          const part = all.filter(({ sentiment }) => sentiment === "negative").length;
          nearest = closest([nearest, (100 * part) / Math.max(1, all.length)], Number(percent));
          if (Math.abs(nearest - Number(percent)) <= 3) return null;
        }
      return `the time of the alert whose part is nearest has ${nearest.toFixed(1)}%`;
    },
  },
  {
    name: "most by",
    means: "Who wrote most of them, with how many each wrote.",
    pattern: re(String.raw`most by ((?:${NAME} \(\d[\d,]*\)(?:, )?)+)|all by (${NAME})(?=;|$)`),
    judge: ([list = "", one = ""], context) => {
      if (one !== "") return null;
      const { recount, message } = context;
      const people = [...list.matchAll(/(.+?) \((\d[\d,]*)\)(?:, |$)/g)];
      const meant = meantBy(context);
      const fits = [...spans(context)].some(([from, to]) => {
        const alls = recount.knownAt(message.at).map((known) => recount.in(meant, from, to, known));
        return people.every(([, name = "", count = ""]) =>
          alls.some(
            (all) => Math.abs(all.filter((fact) => isCalled(fact, name)).length - toNumber(count)) <= 1,
          ),
        );
      });
      return fits ? null : "they wrote another number of them at every time of the alert";
    },
  },
  {
    name: "authors",
    means: "So many different people wrote them.",
    pattern: re(String.raw`(${NUMBER}) authors?`),
    judge: ([count = ""], context) => {
      const { recount, message } = context;
      const { brand } = context;
      // A page lists several things, so which of them the alert counts is not beside it.
      const slices =
        message.kind === "page"
          ? ["negative mentions", "mentions"].flatMap((subject) => sliceOf(subject, brand) ?? [])
          : [meantBy(context)];
      const given = toNumber(count);
      let nearest = Number.POSITIVE_INFINITY;
      for (const [from, to] of spans(context))
        for (const meant of slices) {
          const sizes = recount
            .knownAt(message.at)
            .map((known) => new Set(recount.in(meant, from, to, known).map(accountOf)).size);
          if (given >= 0.97 * Math.min(...sizes) - 1 && given <= 1.03 * Math.max(...sizes) + 1) return null;
          nearest = closest([nearest, ...sizes], given);
        }
      return `the time of the alert whose number is nearest has ${nearest}`;
    },
  },
  {
    name: "repeats",
    means: "That part of them has the same text as another one.",
    pattern: re(String.raw`(?:under |over )?\d+% repeat another text(?: \(usually (?:under |over )?\d+%\))?`),
    judge: () => null,
  },
  {
    name: "part of a topic or site",
    means: "That part of them is about this or from there, and that is usual.",
    pattern: re(String.raw`${NAME} (?:under |over )?(\d+)% \(usually (?:under |over )?(\d+)%\)`),
    judge: () => null,
  },
  {
    name: "story",
    means: "How many mentions have this text, who was first, and whom most people follow.",
    pattern: re(String.raw`[Ss]hared (${NUMBER}) times?`),
    judge: ([count = ""], { recount, message, brand }) => {
      const most = recount.bounds(
        { brand, test: () => true },
        message.at - 8 * DAY,
        message.at,
        message.at,
      ).most;
      return toNumber(count) <= Math.max(most, 1) ? null : `there were only ${most} in a week`;
    },
  },
  {
    name: "first and furthest",
    means: "Who wrote it first, and when; who of them has the most followers.",
    pattern: re(
      String.raw`(?:first|furthest|first and furthest) by (.{1,60}?)(?:,? (?:${WEEKDAY} )?(${TIME}))?(?:, (${NUMBER}) followers|, reach (${NUMBER}))?(?=;|, largest reach|$|\.$)`,
    ),
    judge: ([name = "", time = "", followers = ""], context) => {
      const { recount, message, brand } = context;
      const theirs = recount
        .all(message.at)
        .filter((fact) => isCalled(fact, name) && (brand === null || fact.query === brand));
      if (theirs.length === 0) return name === "an unknown author" ? null : `${name} wrote nothing`;
      if (time !== "") {
        const moments = momentsOf(time, message.at, recount.world.timezone, daysOf(context));
        const fits = theirs.some(({ at }) => moments.some((one) => at >= one && at < one + MINUTE));
        if (!fits) return `${name} wrote nothing at ${time}`;
      }
      if (followers === "") return null;
      return theirs.some((fact) => rounded(fact.followers ?? 0) === followers)
        ? null
        : `${name} has ${theirs[0]?.followers} followers`;
    },
  },
  {
    name: "largest reach",
    means: "Of the mentions with this text, whose may have been seen by most people, and by how many.",
    pattern: re(`, largest reach (?:by (.{1,60}?)|of it, too) \\((${NUMBER})\\)`),
    judge: ([name = "", count = ""], { recount, message, brand, line }) => {
      const first = /first by (.{1,60}?) (?:[A-Z][a-z]{2} )?\d\d:\d\d/.exec(line)?.[1] ?? "";
      const who = name === "" ? first : name;
      const theirs = recount
        .all(message.at)
        .filter((fact) => isCalled(fact, who) && (brand === null || fact.query === brand));
      return theirs.some(({ reach, followers }) => matches(reach ?? followers, count))
        ? null
        : `${who} has ${theirs.map(({ reach, followers }) => reach ?? followers).join(", ")}`;
    },
  },
  {
    name: "severity step of a story",
    means: "The alert has this severity because at least so many mentions of one day have the same text.",
    pattern: re(`(?:critical|warning|info) because of a story shared at least (${NUMBER}) times in a day`),
    judge: ([count = ""], { recount, message, brand, topic }) => {
      const from = (topic.since ?? message.at) - DAY;
      const told = new Map<string, Moment[]>();
      for (const fact of recount.in({ brand, test: () => true }, from, message.at, message.at)) {
        const words = wordsOf(fact);
        told.set(words, [...(told.get(words) ?? []), fact.at]);
      }
      const sizes = [...told.values()].map((times) =>
        Math.max(...times.map((end) => times.filter((at) => at <= end && at > end - DAY).length)),
      );
      const most = Math.max(0, ...sizes);
      return most >= toNumber(count) ? null : `the most was ${most}`;
    },
  },
  {
    name: "severity step of followers",
    means: "The alert has this severity because an author has at least so many followers.",
    pattern: re(`(?:critical|warning|info) because of at least (${NUMBER}) followers`),
    judge: ([count = ""], { recount, message }) =>
      recount.all(message.at).some(({ followers }) => (followers ?? 0) >= toNumber(count))
        ? null
        : "nobody has so many",
  },
  {
    name: "followers",
    means: "So many people follow the author.",
    pattern: re(String.raw`(?:with )?(${NUMBER}) followers|reach (?:of )?(${NUMBER})|limit (${NUMBER})`),
    judge: ([count = "", reach = ""], { recount, message }) => {
      if (count === "" && reach === "") return null;
      const is = recount
        .all(message.at)
        .some((fact) =>
          count !== "" ? matches(fact.followers, count) : matches(fact.reach ?? fact.followers, reach),
        );
      return is ? null : "nobody has so many";
    },
  },
  {
    name: "published",
    means: "When the mention above was published.",
    pattern: re(
      `(?<=(?:followers|verified|negative|neutral|positive|times|_), )(${TIME})(?=$)|^(${TIME})(?= · [a-z])`,
    ),
    judge: ([one = "", two = ""], { recount, message, topic }) => {
      const moments = momentsOf(one || two, message.at, recount.world.timezone, [topic.since ?? message.at]);
      const fits = moments.some(
        (at) => recount.in({ brand: null, test: () => true }, at, at + MINUTE, message.at).length > 0,
      );
      return fits ? null : "nothing was published in that minute";
    },
  },
  {
    name: "mentions of a kind",
    means: "So many mentions there are of it.",
    pattern: re(`(${NUMBER}) (${SUBJECT})(?= that )`),
    judge: () => null,
  },
];

/** In the hour from then on there are twice as many as in the hour before. */
function rises(context: Context, at: Moment): boolean {
  const { recount, message } = context;
  const meant = meantBy(context);
  const many = (from: Moment) => recount.in(meant, from, from + HOUR, message.at).length;
  return many(at) >= 2 * Math.max(1, many(at - HOUR));
}

function matches(value: number | null, text: string): boolean {
  return value !== null && (rounded(value) === text || value === toNumber(text));
}

/** Made once: making one takes longer than a thousand of its answers, and every author is asked. */
const COMPACT = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });

/** `120.4k`, as messages write it. */
function rounded(value: number): string {
  return COMPACT.format(value).replace("K", "k");
}
