import type { Context, Statement, Verdict } from "../grammar.ts";
import { NUMBER, toNumber } from "../times.ts";
import { type Attempt, HOUR, MINUTE, type Moment } from "../world.ts";
import { isNear, LENGTH_OF_OURS as LENGTH, toLength } from "./operators.ts";

const re = (source: string) => new RegExp(source, "g");
/** What a message says was found so long before it at most: the step of the clock, and the check that follows it. */
const FOUND_MS = 15 * MINUTE;

/** What messages to operators say of messages that were not delivered, and of what could not be stored. */
export const DELIVERY_STATEMENTS: readonly Statement[] = [
  {
    name: "tries that failed",
    means: "So often the receiver's vendor was asked in vain since it last took a message, and for so long.",
    pattern: re(`[Rr]eceiver (\\S+) gets no messages: (${NUMBER}) tries have failed in (${LENGTH})`),
    judge: ([receiver = "", count = "", length = ""], context) => {
      const failed = failedSince(context, receiver);
      const [first] = failed;
      if (first === undefined) return "its vendor took all";
      const { message } = context;
      const verdicts = [message.at, ...failed.map(({ at }) => at)]
        .filter((at) => at >= message.at - FOUND_MS)
        .map((at): Verdict => {
          const tries = failed.filter((one) => one.at <= at).length;
          if (toNumber(count) !== tries) return `it was asked ${tries} times`;
          return isNear(at - first.at, toLength(length))
            ? null
            : `the first was ${Math.round((at - first.at) / MINUTE)} min before`;
        });
      return verdicts.includes(null) ? null : (verdicts[0] ?? "nothing was tried lately");
    },
  },
  {
    name: "messages that were refused",
    means: "So many messages the receiver's vendor has refused for good.",
    pattern: re(`(${NUMBER}) messages? did not reach (\\S+) and (?:is|are) not tried again`),
    judge: ([count = "", receiver = ""], context) => {
      const refused = attemptsOf(context, receiver).filter(({ answer }) => answer === "never").length;
      return toNumber(count) === refused ? null : `it refused ${refused}`;
    },
  },
  {
    name: "messages that were given up",
    means: "So many messages were tried in vain for two days.",
    pattern: re(`(${NUMBER}) messages? (?:was|were) tried for two days and given up`),
    judge: ([count = ""], context) => {
      const before = context.message.at - 2 * 24 * HOUR;
      const old = troubleOf(context).attempts.filter(({ at, answer }) => answer === "later" && at <= before);
      return toNumber(count) <= old.length ? null : `two days ago ${old.length} were tried in vain`;
    },
  },
  {
    name: "mails that came back",
    means: "So many mails to this address came back.",
    pattern: re(String.raw`(${NUMBER}) to (\S+@\S+) came back`),
    judge: ([count = "", address = ""], context) => {
      const { cameBack } = troubleOf(context);
      const times = cameBack.filter((one) => one.address === address && one.at <= context.message.at).length;
      return toNumber(count) === times ? null : `${times} came back`;
    },
  },
  {
    name: "left out",
    means: "So many mentions were shown that cannot be stored.",
    pattern: re(`(${NUMBER}) mentions? failed at every try and (?:is|are) left out`),
    judge: ([count = ""], context) => {
      const { message, recount } = context;
      const { unstorable } = troubleOf(context);
      const until = (at: Moment) => unstorable.filter((one) => one <= at).length;
      const [least, most] = [until(message.at - recount.world.lagMs - FOUND_MS), until(message.at)];
      const given = toNumber(count);
      return given >= least && given <= most ? null : `there were ${most}`;
    },
  },
  {
    name: "work left out",
    means: "So many pages or jobs failed at every try: at least one, or nothing would be said.",
    pattern: re(
      `(${NUMBER}) (?:pages? of mentions|pieces? of work) failed at every try and (?:is|are) left out`,
    ),
    judge: ([count = ""]) => (toNumber(count) > 0 ? null : "none is no news"),
  },
  {
    name: "messages that wait",
    means: "So many messages wait, and for so long no vendor was asked to take one.",
    pattern: re(`(${NUMBER}) messages? (?:is|are) not sent: no process has taken the oldest for (${LENGTH})`),
    judge: ([, length = ""], context) => judgeStandstill(context, length),
  },
  {
    name: "queue stands still",
    means: "For so long nothing was done, and so no vendor was asked to take a message.",
    pattern: re(`the queue has stood still for (${LENGTH})`),
    judge: ([length = ""], context) => judgeStandstill(context, length),
  },
  {
    name: "polls that wait",
    means: "So many brands wait to be read, and for so long none was.",
    pattern: re(`(${NUMBER}) quer(?:y|ies) (?:is|are) due, and no process has read any for (${LENGTH})`),
    judge: ([count = "", length = ""], { recount, message }) => {
      const { brands, from } = recount.world;
      if (toNumber(count) > brands.length) return `there are ${brands.length}`;
      return toLength(length) <= message.at - from + HOUR ? null : "it is not watched for so long";
    },
  },
  {
    name: "late digest",
    means: "So long after its time the digest of that day is not there: it was due before the message.",
    pattern: re(`the digest (\\S+) of (\\d{4}-\\d\\d-\\d\\d) is (?:late by (${LENGTH})|not sent: it failed)`),
    judge: ([, date = "", length = ""], { message }) => {
      const due = message.at - toLength(length);
      return Date.parse(date) <= due && due - Date.parse(date) < 33 * 24 * HOUR
        ? null
        : "it was not due at that time";
    },
  },
  {
    name: "answer of a vendor",
    means: "What the vendor said, in its own words: a code and a text.",
    pattern: /HTTP [45]\d\d|\b[45]\d\d [45]\.\d\.\d\b|\b[45]\.\d\.\d\b/g,
    judge: (_, context) => {
      const { attempts, cameBack } = troubleOf(context);
      const refused = attempts.some(({ at, answer }) => answer !== "taken" && at <= context.message.at);
      return refused || cameBack.some(({ at }) => at <= context.message.at)
        ? null
        : "no vendor refused anything";
    },
  },
];

function troubleOf({ recount }: Context) {
  return recount.world.trouble ?? { attempts: [], cameBack: [], unstorable: [] };
}

function attemptsOf(context: Context, receiver: string): readonly Attempt[] {
  return troubleOf(context).attempts.filter(
    (one) => one.receiver === receiver && one.at <= context.message.at,
  );
}

/** The tries in vain since the vendor last took a message. */
function failedSince(context: Context, receiver: string): readonly Attempt[] {
  const all = attemptsOf(context, receiver);
  return all.slice(all.findLastIndex(({ answer }) => answer === "taken") + 1);
}

/** Nobody asked a vendor in that time. */
function judgeStandstill(context: Context, length: string): Verdict {
  const { message } = context;
  const from = message.at - toLength(length);
  const busy = troubleOf(context).attempts.filter(({ at }) => at > from && at < message.at);
  return busy.length === 0 ? null : `in that time ${busy.length} messages were tried`;
}
