import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { HOUR, MINUTE, SECOND, toIso } from "../../../src/lib/instant.ts";
import { replayed, simulated } from "./as-replay.ts";

const FROM = Date.parse("2026-03-02T06:00:00Z");
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "earshot-backtest-"));
  await cp(new URL("../../../rules", import.meta.url).pathname, join(folder, "rules"), { recursive: true });
  await cp(new URL("../../fixtures/replay-rules", import.meta.url).pathname, join(folder, "rules"), {
    recursive: true,
  });
  for (const [name, text] of Object.entries(MORE_RULES))
    await writeFile(join(folder, "rules", `${name}.yaml`), text);
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** Kinds of rules that the others are not. */
const MORE_RULES = {
  "new-hashtag":
    "description: A hashtag that is new.\nseverity: info\nnew:\n  what: hashtag\n  atLeast: 5\n  learn: 3h\n",
  "many-authors":
    "description: Many authors.\nseverity:\n  info: always\n  warning: { atLeast: 30 }\nvolume:\n  atLeast: 20\n  within: 1h\n  count: authors\nfor: 10m\n",
  "same-story":
    "description: One story many times.\nseverity:\n  info: always\n  warning: { story: 4 }\nwhen:\n  sentiment: negative\n  keyword: [refund]\ngroupBy: story\nover:\n  after: 2h\n",
  silence: "description: Nobody writes.\nseverity: info\nabsence:\n  within: 4h\n",
};

test("a backtest of a file gives the alerts and incidents of a replay of it", async () => {
  const file = join(folder, "generated.jsonl");
  await writeFile(file, generated().join("\n"));
  const rules = join(folder, "rules");
  const found = await simulated(file, rules);
  expect(new Set(found.alerts.map(({ rule }) => rule)).size).toBeGreaterThan(5);
  expect(found.incidents.length).toBeGreaterThan(0);
  expect(found).toEqual(await replayed(file, rules));
}, 240_000);

/** Two brands for fourteen hours: calm, a storm about refunds, and seven hours in which nothing comes for one. */
function generated(): readonly string[] {
  const random = mulberry(7);
  const lines: { readonly at: number; readonly line: string }[] = [];
  const add = (brand: string, at: number, more: Readonly<Record<string, unknown>>): void => {
    const id = `${brand}-${lines.length}`;
    const base = {
      id,
      brand,
      author: `author ${Math.floor(random() * 200)}`,
      date: wireTime(at),
      retweets: 0,
    };
    lines.push({ at, line: JSON.stringify({ ...base, ...more }) });
  };
  for (const brand of ["Acme", "Globex"])
    for (let at = FROM; at < FROM + 14 * HOUR; at += (4 + random() * 12) * MINUTE) {
      if (at > FROM + 4 * HOUR && at < FROM + 11 * HOUR && brand === "Globex") continue;
      add(brand, at, {
        sentiment: random() < 0.2 ? "negative" : "neutral",
        text: `An ordinary day with ${brand}, number ${Math.floor(random() * 1e6)} of many, and nothing to add #everyday`,
        followers: Math.floor(random() ** 6 * 100_000),
      });
    }
  for (let index = 0; index < 180; index++)
    add("Acme", FROM + 9 * HOUR + index * 35 * SECOND, {
      sentiment: random() < 0.85 ? "negative" : "positive",
      text:
        index % 3 === 0
          ? `Where is my refund? I have waited for ${index} days and nobody at all answers my letters #refundnow`
          : `RT @someone: they are recalled, "unsafe" & <b>refund</b> them ${index % 7} \u2028 now #refundnow`,
      negativeReason: index % 10 === 0 ? "Safety" : null,
      hashtags: ["refundnow"],
      followers: index === 40 ? 2_000_000 : 10,
      // As a backfill has it: written before it was found.
      ...(index % 5 === 0 && { added: wireTime(FROM + 9 * HOUR + index * 35 * SECOND + 20 * MINUTE) }),
    });
  return lines.sort((a, b) => a.at - b.at).map(({ line }) => line);
}

function wireTime(at: number): string {
  return toIso(Math.floor(at / SECOND) * SECOND).replace("Z", "+0000");
}

function mulberry(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
