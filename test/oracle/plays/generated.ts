import type { Pool } from "pg";
import { DAY, HOUR, MINUTE, type Moment } from "../world.ts";
import {
  createDatabase,
  insertMentions,
  insightsOf,
  type MentionVersion,
  mentionRecord,
  wireTime,
} from "./earshot.ts";
import type { Play } from "./play.ts";

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
  const written: Written[] = [];
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
  const written = brands.flatMap((brand): Written[] => {
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

interface Written {
  readonly id?: string;
  readonly brand: string;
  readonly at: Moment;
  readonly sentiment: string;
  readonly author: string;
  readonly followers?: number;
  readonly verified?: boolean;
  readonly text: string;
  /** It is found so long after it was published. */
  readonly lateMs?: number;
  /** Its sentiment is classified anew at that moment. */
  readonly becomes?: { readonly at: Moment; readonly sentiment: string };
  readonly deletedAt?: Moment;
}

const WORDS =
  "order parcel weekend colour meeting ticket garden window winter summer photo music train cinema recipe bicycle answer number corner button letter bottle paper market street school office travel review model battery screen charger station museum concert football island mountain river kitchen blanket umbrella jacket pencil notebook lantern".split(
    " ",
  );

function mentionsUntil(to: Moment, seed: number): readonly Written[] {
  const random = createRandom(seed);
  const between = (least: number, most: number) => least + random() * (most - least);
  const words = (count: number) =>
    Array.from({ length: count }, () => WORDS[Math.floor(random() * WORDS.length)] ?? "").join(" ");
  const all: Written[] = [];
  const add = (one: Omit<Written, "text" | "author"> & Partial<Written>) =>
    all.push({
      author: `reader_${Math.floor(random() * 4_000)}`,
      text: `${one.brand}: ${words(9)}`,
      ...one,
      at: Math.floor(one.at / 1000) * 1000,
    });
  /** A flow with a day's rhythm: `perHour` at noon, a sixth of it at night. */
  const flow = (brand: string, perHour: number, from: Moment, until: Moment, negative: number) => {
    for (let at = from; at < until; ) {
      const rhythm = 0.58 - 0.42 * Math.cos((2 * Math.PI * ((at % DAY) - HOUR)) / DAY);
      at += (-Math.log(1 - random()) * HOUR) / (perHour * rhythm);
      const mood = random();
      const sentiment = mood < negative ? "negative" : mood < negative + 0.25 ? "positive" : "neutral";
      if (at < until)
        add({ brand, at, sentiment, ...(random() < 0.05 && { lateMs: between(5, 50) * MINUTE }) });
    }
  };
  const start = FROM - HISTORY_DAYS * DAY;
  flow("Acme", 24, start, to, 0.15);
  flow("Brell", 16, start, to, 0.2);
  flow("Corva", 30, start, FROM + 6 * HOUR, 0.2);
  flow("Drift", 10, FROM - 3 * DAY, to, 0.2);
  // Corva's mood turns: no more mentions than usual, most of them negative, for a day.
  flow("Corva", 30, FROM + 6 * HOUR, FROM + 30 * HOUR, 0.7);
  flow("Corva", 30, FROM + 30 * HOUR, to, 0.2);
  /** It grows for half an hour and fades over some hours. */
  const storm = (brand: string, at: Moment, height: number, lengthMs: number) => {
    for (let minute = 0; minute < lengthMs / MINUTE; minute++) {
      const strength = minute < 30 ? (minute / 30) ** 1.3 : Math.exp(-(minute - 30) / 70);
      const count = Math.floor(height * strength + random());
      for (let i = 0; i < count; i++) {
        const when = at + (minute + random()) * MINUTE;
        const lot = random();
        add({
          ...{ brand, at: when, sentiment: random() < 0.85 ? "negative" : "neutral" },
          text:
            lot < 0.3
              ? `${brand} sold my address to strangers, says the paper of the town`
              : `${brand} ${words(8)}`,
          ...(random() < 0.15 && { lateMs: between(6, 40) * MINUTE }),
          ...(random() < 0.05 && { becomes: { at: when + between(30, 90) * MINUTE, sentiment: "neutral" } }),
          ...(random() < 0.03 && { deletedAt: when + between(40, 120) * MINUTE }),
        });
      }
    }
  };
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
  return all.sort((a, b) => a.at - b.at);
}

async function insert(
  pool: Pool,
  queries: ReadonlyMap<string, number>,
  written: readonly Written[],
): Promise<void> {
  const versions = written.flatMap((one, index): MentionVersion[] => {
    const added = one.at + (one.lateMs ?? 0);
    const id = one.id ?? `made-${String(index + 1).padStart(6, "0")}`;
    const states: { at: Moment; sentiment: string | null; deleted?: true }[] = [
      { at: added, sentiment: one.sentiment },
    ];
    if (one.becomes !== undefined)
      states.push({ ...one.becomes, at: Math.max(one.becomes.at, added + MINUTE) });
    const last = states.at(-1)?.at ?? added;
    if (one.deletedAt !== undefined)
      states.push({ at: Math.max(one.deletedAt, last + MINUTE), sentiment: null, deleted: true });
    return states.map(({ at, sentiment, deleted }, version) => {
      const place = { resourceId: id, queryId: queries.get(one.brand) ?? 0, queryName: one.brand };
      const times = { date: wireTime(one.at), added: wireTime(added), updated: wireTime(at) };
      const content = {
        ...{ snippet: one.text, author: one.author, fullname: one.author, sentiment, pageType: "twitter" },
        ...insightsOf(one.text),
        ...{ url: `https://social.example/${one.author}/${id}`, domain: "social.example", language: "en" },
        ...(one.followers !== undefined && { twitterFollowers: one.followers }),
        ...(one.verified === true && { twitterVerified: true }),
      };
      return {
        version: version + 1,
        record: mentionRecord({ ...place, ...times, ...(deleted ? { resourceType: "deleted" } : content) }),
        ...{ date: one.at, added, updated: at, visibleAt: at },
        supersededAt: states[version + 1]?.at ?? null,
        fullText: null,
      };
    });
  });
  await insertMentions(createDatabase(pool), versions);
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
