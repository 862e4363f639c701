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

export interface WrittenMention {
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

export const WORDS =
  "order parcel weekend colour meeting ticket garden window winter summer photo music train cinema recipe bicycle answer number corner button letter bottle paper market street school office travel review model battery screen charger station museum concert football island mountain river kitchen blanket umbrella jacket pencil notebook lantern".split(
    " ",
  );

/** Invents mentions: a flow with a day's rhythm, and storms with what makes numbers wrong. */
export function createWriter(seed: number) {
  const random = createRandom(seed);
  const between = (least: number, most: number) => least + random() * (most - least);
  const words = (count: number) =>
    Array.from({ length: count }, () => WORDS[Math.floor(random() * WORDS.length)] ?? "").join(" ");
  const all: WrittenMention[] = [];
  const add = (one: Omit<WrittenMention, "text" | "author"> & Partial<WrittenMention>) =>
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
  /** It grows for half an hour and fades over some hours. */
  const storm = (
    brand: string,
    at: Moment,
    height: number,
    lengthMs: number,
    told = "sold my address to strangers, says the paper of the town",
  ) => {
    for (let minute = 0; minute < lengthMs / MINUTE; minute++) {
      const strength = minute < 30 ? (minute / 30) ** 1.3 : Math.exp(-(minute - 30) / 70);
      const count = Math.floor(height * strength + random());
      for (let i = 0; i < count; i++) {
        const when = at + (minute + random()) * MINUTE;
        const lot = random();
        add({
          ...{ brand, at: when, sentiment: random() < 0.85 ? "negative" : "neutral" },
          text: lot < 0.3 ? `${brand} ${told}` : `${brand} ${words(8)}`,
          ...(random() < 0.15 && { lateMs: between(6, 40) * MINUTE }),
          ...(random() < 0.05 && { becomes: { at: when + between(30, 90) * MINUTE, sentiment: "neutral" } }),
          ...(random() < 0.03 && { deletedAt: when + between(40, 120) * MINUTE }),
        });
      }
    }
  };
  return { ...{ random, between, words, add, flow, storm }, all: () => all.sort((a, b) => a.at - b.at) };
}

export async function insert(
  pool: Pool,
  queries: ReadonlyMap<string, number>,
  written: readonly WrittenMention[],
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
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
