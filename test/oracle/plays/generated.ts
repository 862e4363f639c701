import { DAY, HOUR, MINUTE, type Moment } from "../world.ts";
import type { Play } from "./play.ts";
import { createRandom, createWriter, insert, WORDS, type WrittenMention } from "./writer.ts";

/** Monday, eight in the morning. */
const FROM = Date.parse("2026-03-16T08:00:00Z");
const HISTORY_DAYS = 14;

/**
 * A world with everything that makes numbers wrong. Acme: a calm morning, a storm with late arrivals, texts that are
 * classified anew, deletions, a night, the storm of a second day. Brell: a second crisis of another brand at the same time.
 * Corva: a slow burn, in which the mood turns for a day. Drift: nobody listened to it before the last three days.
 */
export function generated(seed = 20_260_316): Play {
  const to = FROM + 31.5 * HOUR;
  return {
    ...planOf("generated", ["Acme", "Brell", "Corva", "Drift"], to),
    write: (pool, _, queries) => insert(pool, queries, mentionsUntil(to, seed)),
    step: stepIn([FROM + 2 * HOUR, FROM + 26 * HOUR]),
    reads: [FROM + 3 * HOUR, FROM + 27 * HOUR],
  };
}

/** Its first storm, of one brand: for every change of the code. */
export function smallWorld(seed = 20_260_316): Play {
  const to = FROM + 6 * HOUR;
  const written = mentionsUntil(to, seed).filter(({ brand }) => brand === "Acme");
  return {
    ...planOf("small", ["Acme"], to),
    write: (pool, _, queries) => insert(pool, queries, written),
    step: stepIn([FROM + 2 * HOUR]),
    reads: [FROM + 4 * HOUR],
  };
}

/**
 * A brand about which most is negative on any day. For an hour and a half nearly all is, and then for hours less than the
 * rule asks for, and still far more than usual: what happens in these hours belongs to the alert.
 */
export function moodWorld(seed = 20_260_316): Play {
  const to = FROM + 16 * HOUR;
  const parts = [
    { from: FROM - HISTORY_DAYS * DAY, until: FROM + 2 * HOUR, negative: 0.6 },
    { from: FROM + 2 * HOUR, until: FROM + 3.5 * HOUR, negative: 0.95 },
    { from: FROM + 3.5 * HOUR, until: FROM + 9 * HOUR, negative: 0.71 },
    { from: FROM + 9 * HOUR, until: to, negative: 0.55 },
  ];
  const random = createRandom(seed);
  const written: WrittenMention[] = [];
  for (const { from, until, negative } of parts)
    for (let at = from; at < until; at += 2 * MINUTE) {
      const words = Array.from({ length: 9 }, () => WORDS[Math.floor(random() * WORDS.length)] ?? "").join(
        " ",
      );
      const sentiment = random() < negative ? "negative" : "neutral";
      const author = `reader_${Math.floor(random() * 4_000)}`;
      written.push({
        brand: "Elmar",
        at: Math.floor(at / 1000) * 1000,
        sentiment,
        author,
        text: `Elmar ${words}`,
      });
    }
  return {
    ...planOf("mood", ["Elmar"], to),
    write: (pool, _, queries) => insert(pool, queries, written),
    step: () => 10 * MINUTE,
    reads: [],
  };
}

/** So begin the ids of mentions that cannot be stored. */
const UNSTORABLE = "unstorable";

/**
 * Its first storm, while vendors are away. The mail server asks on-call to wait until after the beginning of the crisis, and
 * then sends mails back; a program refuses its messages for an hour; some mentions cannot be stored.
 */
export function awayWorld(seed = 20_260_316): Play {
  const to = FROM + 9 * HOUR;
  const written = mentionsUntil(to, seed).filter(({ brand }) => brand === "Acme");
  const broken = [0, 1, 2].map((index) => ({
    ...{ brand: "Acme", at: FROM + 2.5 * HOUR + index * 20 * MINUTE, sentiment: "negative", author: "torn" },
    ...{ text: `Acme: page ${"torn ".repeat(index + 1)}`, id: `${UNSTORABLE}-${index}` },
  }));
  return {
    ...planOf("away", ["Acme"], to),
    write: (pool, _, queries) => insert(pool, queries, [...written, ...broken]),
    step: stepIn([FROM + 2 * HOUR]),
    trouble: {
      answer: (receiver, at) => {
        if (receiver === "on-call" && at < FROM + 3.25 * HOUR) return "later";
        return receiver === "program" && at >= FROM + 3 * HOUR && at < FROM + 4 * HOUR ? "never" : "taken";
      },
      comesBack: (receiver) => receiver === "on-call",
      unstorable: UNSTORABLE,
    },
  };
}

/** The evening of two brands that one cause hits, and the digest of the next morning. */
export function brandsWorld(seed = 20_260_316): Play {
  const [from, to] = [FROM + 10 * HOUR, FROM + 23.5 * HOUR];
  const random = createRandom(seed);
  const brands = ["Acme", "Brell"];
  const told = "The payment service of both shops charged every card twice this evening";
  const written = brands.flatMap((brand): WrittenMention[] => {
    const usual = mentionsUntil(to, seed).filter((one) => one.brand === brand && one.at < from);
    const storm = Array.from({ length: 90 }, (_, index) => ({
      ...{
        brand,
        at: from + HOUR + index * MINUTE + Math.floor(random() * 60) * 1000,
        sentiment: "negative",
      },
      ...{ author: `customer_${Math.floor(random() * 4_000)}`, text: `${told}, ${brand} says nothing` },
    }));
    return [...usual, ...storm];
  });
  return {
    ...planOf("brands", brands, to),
    from,
    write: (pool, _, queries) => insert(pool, queries, written),
    step: (now) => (now < from + 4 * HOUR ? 10 : 30) * MINUTE,
  };
}

function planOf(name: string, queries: readonly string[], to: Moment) {
  return {
    ...{ name, timezone: "Europe/Berlin", queries, rules: "rules" },
    ...{ from: FROM, to, history: `${HISTORY_DAYS}d` },
  };
}

/**
 * A step is hardly longer than the polls: in one step polls, judging and messages go on side by side, so a message may have
 * been written from the mentions of the step before.
 */
function stepIn(storms: readonly Moment[]): Play["step"] {
  return (now) => (storms.some((at) => now >= at && now < at + 6 * HOUR) ? 5 : 10) * MINUTE;
}

function mentionsUntil(to: Moment, seed: number): readonly WrittenMention[] {
  const { add, flow, storm, all } = createWriter(seed);
  const start = FROM - HISTORY_DAYS * DAY;
  flow("Acme", 24, start, to, 0.15);
  flow("Brell", 16, start, to, 0.2);
  flow("Corva", 30, start, FROM + 6 * HOUR, 0.2);
  flow("Drift", 10, FROM - 3 * DAY, to, 0.2);
  // Corva's mood turns: no more mentions than usual, most of them negative, for a day.
  flow("Corva", 30, FROM + 6 * HOUR, FROM + 30 * HOUR, 0.7);
  flow("Corva", 30, FROM + 30 * HOUR, to, 0.2);
  storm("Acme", FROM + 2 * HOUR, 9, 6 * HOUR);
  storm("Acme", FROM + 26 * HOUR, 6, 5 * HOUR);
  storm("Brell", FROM + 3 * HOUR, 5, 4 * HOUR);
  const loud = { author: "the_anchor", followers: 84_000, verified: true, sentiment: "negative" };
  add({
    ...loud,
    brand: "Acme",
    at: FROM + 3.5 * HOUR,
    text: "Acme knew of it for a year, and said nothing",
  });
  return all();
}
