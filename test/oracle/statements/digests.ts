import type { Context, Statement, Verdict } from "../grammar.ts";
import { daysBefore, momentsOf, NUMBER, PERIOD, TIME, toNumber } from "../times.ts";
import { judgeBounds, range } from "../windows.ts";
import { DAY, type Fact, HOUR, MINUTE, type Moment } from "../world.ts";

const re = (source: string) => new RegExp(source, "g");
const everything = ({ brand }: Context) => ({ brand, test: () => true });

function period({ topic, message }: Context): readonly [Moment, Moment] {
  return [topic.since ?? message.at - DAY, topic.until ?? message.at];
}

function judgeTotal(context: Context, count: number, test: (fact: Fact) => boolean = () => true): Verdict {
  const [from, to] = period(context);
  return judgeBounds(
    count,
    context.recount.bounds({ brand: context.brand, test }, from, to, context.message.at),
    "in this time",
  );
}

/** What is usual: the median of the same hours of the days before, as far back as something was listened to. */
function usuals(context: Context): readonly number[] {
  const [from, to] = period(context);
  const { recount, message } = context;
  const brands = context.brand === null ? recount.world.brands : [context.brand];
  const listened = Math.max(
    ...brands.map((brand) =>
      recount.world.facts.reduce(
        (least, fact) => (fact.query === brand ? Math.min(least, fact.at) : least),
        to,
      ),
    ),
  );
  const counts: number[] = [];
  for (let back = 1; back <= 7; back++) {
    // A day in which the clocks change is a day.
    const days = back * Math.max(1, Math.round((to - from) / DAY));
    const [start, end] = [from, to].map((at) => daysBefore(at, days, recount.world.timezone));
    if (start === undefined || end === undefined || start < listened) break;
    counts.push(recount.in(everything(context), start, end, message.at).length);
  }
  if (counts.length < 3) return counts;
  const sorted = counts.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return [Math.round(((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle) - 1] ?? 0)) / 2)];
}

function judgeUsual(context: Context, usual: number): Verdict {
  const true_ = usuals(context);
  if (true_.length === 0) return "nobody listened in the same time before";
  return true_.some((one) => Math.abs(one - usual) <= Math.max(1, 0.02 * one))
    ? null
    : `it is ${true_.join(" or ")}`;
}

/** A multiple of fewer than this says less than the two numbers. */
const FEW = 10;

const isOf = (sentiment: string) => (fact: Fact) => fact.sentiment === sentiment;

/** What a digest says of a day, a week or a month. */
export const DIGEST_STATEMENTS: readonly Statement[] = [
  {
    name: "period",
    means: "The time that the digest is about.",
    pattern: re(String.raw`(?:${TIME}) to (?:${TIME})|${PERIOD}`),
    judge: () => null,
  },
  {
    name: "largest bar",
    means: "The hour or day of the chart with most mentions, and how many it has.",
    pattern: re(`(?<=By (hour|day), .*)Most at (${TIME}): (${NUMBER})`),
    judge: ([step = "", time = "", count = ""], { recount, message }) => {
      const bounds = momentsOf(time, message.at, recount.world.timezone).map((at) =>
        recount.bounds(
          { brand: null, test: () => true },
          at,
          at + (step === "hour" ? HOUR : DAY),
          message.at,
        ),
      );
      const fits = bounds.some(({ least, most }) => toNumber(count) >= least && toNumber(count) <= most);
      return fits ? null : bounds.map(range).join(", ");
    },
  },
  {
    name: "author",
    means: "So many mentions of this time are of this author, and so many of them are negative.",
    pattern: re(String.raw`(?<=^([^|]{1,60}) \| )(${NUMBER}) mentions?(?:, (${NUMBER}) negative)?$`),
    judge: ([name = "", count = "", negative = ""], context) => {
      const [from, to] = period(context);
      const { recount, message } = context;
      // An account is called by its own name, or by that of who writes there, which several may share.
      const accountOf = ({ author, name: own, site }: Fact) => author ?? own ?? site;
      const accounts = new Set(
        recount.world.facts
          .filter((fact) => [fact.name, accountOf(fact)].includes(name))
          .map((fact) => accountOf(fact)),
      );
      const judgeOne = (account: string | null): Verdict => {
        const bounds = (test: (fact: Fact) => boolean) =>
          recount.bounds(
            { brand: null, test: (fact) => accountOf(fact) === account && test(fact) },
            ...([from, to, message.at] as const),
          );
        return (
          judgeBounds(
            toNumber(count),
            bounds(() => true),
            "in this time",
          ) ??
          (negative === "" ? null : judgeBounds(toNumber(negative), bounds(isOf("negative")), "negative"))
        );
      };
      const verdicts = [...accounts].map(judgeOne);
      return verdicts.includes(null) ? null : (verdicts[0] ?? "nobody is called so");
    },
  },
  {
    name: "negative part of a brand",
    means: "That part of the mentions of the brand in this time is negative.",
    pattern: re(String.raw`(?<=^[^|]{1,60} \| [\d,]+ \| )(?:under |over )?(\d+)%(?= \|)`),
    judge: ([percent = ""], context) => {
      if (context.brand === null) return null;
      const [from, to] = period(context);
      const all = context.recount.in(everything(context), from, to, context.message.at);
      const part = (100 * all.filter(isOf("negative")).length) / Math.max(1, all.length);
      return Math.abs(part - Number(percent)) <= 2 ? null : `${part.toFixed(1)}%`;
    },
  },
  {
    name: "alert of the time",
    means: "When the alert fired: a mention of its brand was published in the hour before.",
    pattern: re(`(?<=^[•-] (?:CRITICAL|WARNING|INFO) .*: )(${TIME})(?=, |$)|^(${TIME})(?= · .* Open$)`),
    judge: ([first = "", second = ""], { brand, recount, message }) => {
      const fits = momentsOf(first || second, message.at, recount.world.timezone).some(
        (at) =>
          at <= message.at &&
          recount.bounds({ brand, test: () => true }, at - HOUR, at + MINUTE, message.at).most > 0,
      );
      return fits ? null : "nothing was published in the hour before";
    },
  },
  {
    name: "most in an hour",
    means: "The hour or day with most mentions, and how many it has.",
    pattern: re(String.raw`most at (${TIME}) \((${NUMBER}) in an? (hour|day)\)`),
    judge: ([time = "", count = "", step = ""], context) => {
      const { recount, message } = context;
      const length = step === "hour" ? HOUR : DAY;
      const counts = momentsOf(time, message.at, recount.world.timezone).map((at) =>
        recount.bounds({ brand: null, test: () => true }, at, at + length, message.at),
      );
      const given = toNumber(count);
      return counts.some(({ least, most }) => given >= least && given <= most)
        ? null
        : counts.map(range).join(", ");
    },
  },
  {
    name: "against the usual",
    means:
      "How many that are compared with the median of the same time on the days before on which Earshot listened.",
    pattern: re(
      String.raw`(?:(${NUMBER}) times|(\d+)% (more|less) than|twice|about|against|as) the usual (${NUMBER})`,
    ),
    judge: ([times = "", percent = "", direction = "", usual = ""], context) => {
      const given = toNumber(usual);
      const wrong = judgeUsual(context, given);
      if (wrong !== null) return wrong;
      const count = context.said.get("count");
      if (count === undefined) return null;
      if (given < FEW && count >= FEW && times !== "")
        return "a multiple of so few says less than the two numbers";
      if (times !== "" && Math.abs(count / given - toNumber(times)) > 0.06)
        return `${count} / ${usual} = ${(count / given).toFixed(1)}`;
      const change = Math.abs(Math.round(100 * (count / given - 1)));
      if (
        percent !== "" &&
        (Math.abs(change - Number(percent)) > 1 || (direction === "more") !== count > given)
      )
        return `it is ${change}%`;
      return null;
    },
  },
  {
    name: "against the period before",
    means: "How many that are compared with the same length of time just before.",
    pattern: re(
      String.raw`(?:(?:${NUMBER}) times|\d+% (?:more|less) than|twice|about|against) the (${NUMBER}) (?:of the period )?before|none before|none, as before`,
    ),
    judge: ([before = ""], context) => {
      if (before === "") return null;
      const [from, to] = period(context);
      const { recount, message } = context;
      const bounds = recount.bounds(everything(context), from - (to - from), from, message.at);
      return judgeBounds(toNumber(before), bounds, "before");
    },
  },
  {
    name: "counts of the mood",
    means: "So many mentions of this time are negative, neutral or positive.",
    pattern: re(`(${NUMBER}) (negative|neutral|positive)(?= ·|$)`),
    judge: ([count = "", sentiment = ""], context) =>
      context.line.includes(" mention") ? null : judgeTotal(context, toNumber(count), isOf(sentiment)),
  },
  {
    name: "points",
    means: "How many percentage points more or less of it is negative than usual.",
    pattern: re(String.raw`\d+ points (?:more|less) than usual`),
    judge: () => null,
  },
  {
    name: "story",
    means: "So many mentions have this text, the first at that time.",
    pattern: re(
      String.raw`shared (${NUMBER}) times?(?:[,·| ]+(?:under |over )?(\d+)% negative)?(?:[,·| ]+since (${TIME}))?`,
    ),
    judge: ([count = ""], context) => {
      const [from, to] = period(context);
      const most = context.recount.bounds(
        { brand: null, test: () => true },
        from,
        to,
        context.message.at,
      ).most;
      return toNumber(count) <= most ? null : `there were only ${most} in all`;
    },
  },
  {
    name: "part of the mood",
    means: "That part of the mentions of this time is negative, neutral or positive.",
    pattern: re(String.raw`(?:under |over )?(\d+)% (negative|neutral|positive)`),
    judge: ([percent = "", sentiment = ""], context) => {
      if (context.line.includes("shared ") || context.topic.until === null) return null;
      const [from, to] = period(context);
      const all = context.recount.in(everything(context), from, to, context.message.at);
      const part = (100 * all.filter(isOf(sentiment)).length) / Math.max(1, all.length);
      return Math.abs(part - Number(percent)) <= 2 ? null : `${part.toFixed(1)}%`;
    },
  },
  {
    name: "total",
    means: "So many mentions were published in this time.",
    pattern: re(String.raw`(?<=^|: |, |quiet, )(${NUMBER}) mentions?(?=[,.;]|$| \()`),
    judge: ([count = ""], context) => {
      if (context.topic.until === null) return null;
      context.said.set("count", toNumber(count));
      // A name before it: an author.
      if (/: \d[\d,]* mentions?(?:, \d[\d,]* negative)?$/.test(context.line) && !context.line.includes("%"))
        return null;
      return judgeTotal(context, toNumber(count));
    },
  },
  {
    name: "hashtag",
    means: "So many mentions have the hashtag.",
    // Digits of a name are hidden behind private signs.
    pattern: /#[\p{L}\p{N}\p{Co}_]+ \d[\d,]*/gu,
    judge: () => null,
  },
  {
    name: "complete until",
    means: "What was published later was not read yet.",
    pattern: re(`(?:data )?complete until (${TIME})`),
    judge: ([time = ""], { recount, message }) =>
      momentsOf(time, message.at, recount.world.timezone).some((at) => at <= message.at + MINUTE)
        ? null
        : "that is after this message",
  },
  {
    name: "alerts of the time",
    means: "So many alerts were open in this time.",
    pattern: re(
      String.raw`(${NUMBER}) alerts?|… and (${NUMBER}) (?:more|quer(?:y|ies) more with ${NUMBER} mentions?)`,
    ),
    judge: () => null,
  },
  {
    name: "row of a brand",
    means: "How many mentions the brand has in this time.",
    pattern: re(String.raw`(?<=^(?:- |• )?[^:|%]{1,40}(?:: | \| | ))(${NUMBER})(?=, | \(| \||$)`),
    judge: ([count = ""], context) => {
      if (context.topic.until === null) return null;
      context.said.set("count", toNumber(count));
      return context.brand === null ? null : judgeTotal(context, toNumber(count));
    },
  },
];
