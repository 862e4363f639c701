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
      return oneOf(
        foundAt(context).map((at): Verdict => {
          const failed = failedSince(context, receiver, at);
          const [first] = failed;
          if (first === undefined) return "its vendor took all";
          if (!isDuring(toNumber(count), at, (moment) => failedSince(context, receiver, moment).length))
            return `it was asked ${failed.length} times`;
          return isNear(at - first.at, toLength(length))
            ? null
            : `the first was ${Math.round((at - first.at) / MINUTE)} min before`;
        }),
      );
    },
  },
  {
    name: "messages that were refused",
    means:
      "So many messages the receiver's vendor has refused for good, and never took; a correction of one is none of its own.",
    pattern: re(`(${NUMBER}) messages? did not reach (\\S+) and (?:is|are) not tried again`),
    judge: ([count = "", receiver = ""], context) => {
      const never = (until: Moment) => neverTaken(context, receiver, until);
      const { at } = context.message;
      return isDuring(toNumber(count), at, never) ? null : `it refused ${never(at)}`;
    },
  },
  {
    name: "messages that cannot be corrected",
    means: "So many messages the receiver's vendor took, and refused when they were last corrected.",
    pattern: re(`(${NUMBER}) messages? to (\\S+) still shows? something that was deleted`),
    judge: ([count = "", receiver = ""], context) =>
      oneOf(
        foundAt(context).map(
          (at): Verdict =>
            isDuring(toNumber(count), at, (moment) => uncorrected(context, receiver, moment))
              ? null
              : `it refused the corrections of ${uncorrected(context, receiver, at)}`,
        ),
      ),
  },
  {
    name: "message that cannot be corrected",
    means: "At that minute a vendor took a message that it has refused to correct since.",
    pattern: re("about the rule \\S+ of (\\d{4}-\\d\\d-\\d\\d) (\\d\\d:\\d\\d) UTC"),
    judge: ([date, time], context) => {
      const minute = Date.parse(`${date}T${time}Z`);
      const { attempts } = troubleOf(context);
      const isRefused = (taken: Attempt) =>
        attempts.some(
          ({ message, at, answer }) => message === taken.message && at > taken.at && answer === "never",
        );
      const taken = attempts.filter(
        ({ at, answer }) => answer === "taken" && Math.floor(at / MINUTE) * MINUTE === minute,
      );
      return taken.some(isRefused) ? null : "no vendor took one then that it refused to correct";
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
      const cameBack = troubleOf(context).cameBack.filter((one) => one.address === address);
      return oneOf(
        foundAt(context).map((moment): Verdict => {
          const times = cameBack.filter(({ at }) => at <= moment).length;
          return toNumber(count) === times ? null : `${times} came back`;
        }),
      );
    },
  },
  {
    name: "left out",
    means: "So many mentions that cannot be stored were read in the hour before.",
    pattern: re(`(${NUMBER}) mentions? failed at every try in the last hour and (?:is|are) left out`),
    judge: ([count = ""], context) => {
      const { message, recount } = context;
      const { unstorable } = troubleOf(context);
      const within = (from: Moment, to: Moment) => unstorable.filter((at) => at > from && at <= to).length;
      // It is read a poll after it is shown, and said a check later.
      const late = recount.world.lagMs + FOUND_MS;
      const [least, most] = [
        within(message.at - HOUR, message.at - late),
        within(message.at - HOUR - late, message.at),
      ];
      const given = toNumber(count);
      return given >= least && given <= most ? null : `there were ${least} to ${most}`;
    },
  },
  {
    name: "work left out",
    means: "So many pages or jobs failed at every try: at least one, or nothing would be said.",
    pattern: re(
      `(${NUMBER}) (?:pages? of mentions failed at every try in the last hour|pieces? of work failed at every try) and (?:is|are) left out`,
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

/** When what a message says may have been found. In one step it may be sent before the tries that the step brings. */
function foundAt(context: Context): readonly Moment[] {
  const { attempts, cameBack } = troubleOf(context);
  const { at: said } = context.message;
  const moments = [...attempts, ...cameBack].flatMap(({ at }) => [at, at - 1]);
  return [said, ...new Set(moments.filter((at) => at > said - FOUND_MS && at < said))];
}

/** Several tries of one step have one moment: a message may be from between them. */
function isDuring(count: number, at: Moment, countAt: (moment: Moment) => number): boolean {
  const [before, after] = [countAt(at - 1), countAt(at)];
  return count >= Math.min(before, after) && count <= Math.max(before, after);
}

/** Null where one of them holds. */
function oneOf(verdicts: readonly Verdict[]): Verdict {
  return verdicts.includes(null) ? null : (verdicts[0] ?? null);
}

/** The tries in vain since the vendor last took a message. */
function failedSince(context: Context, receiver: string, until: Moment): readonly Attempt[] {
  const all = attemptsOf(context, receiver).filter(({ at }) => at <= until);
  return all.slice(all.findLastIndex(({ answer }) => answer === "taken") + 1);
}

/** The messages that the receiver's vendor refused for good, and never took. */
function neverTaken(context: Context, receiver: string, until: Moment): number {
  const all = attemptsOf(context, receiver).filter(({ at }) => at <= until);
  const taken = new Set(all.flatMap(({ answer, message }) => (answer === "taken" ? message : [])));
  const refused = all.flatMap(({ answer, message }) => (answer === "never" ? message : []));
  return new Set(refused.filter((message) => !taken.has(message))).size;
}

/** Of the messages that the receiver's vendor took, those of which it refused the newest correction. */
function uncorrected(context: Context, receiver: string, until: Moment): number {
  const all = attemptsOf(context, receiver).filter(({ at }) => at <= until);
  const taken = new Set(all.flatMap(({ answer, message }) => (answer === "taken" ? message : [])));
  const newest = new Map(all.map(({ message, answer }) => [message, answer]));
  return [...taken].filter((message) => newest.get(message) === "never").length;
}

/** Nobody asked a vendor in that time. */
function judgeStandstill(context: Context, length: string): Verdict {
  const { message } = context;
  const from = message.at - toLength(length);
  const busy = troubleOf(context).attempts.filter(({ at }) => at > from && at < message.at);
  return busy.length === 0 ? null : `in that time ${busy.length} messages were tried`;
}
