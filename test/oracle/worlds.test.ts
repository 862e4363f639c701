import { expect, inject, test } from "vitest";
import { oneBySeed } from "../one-by-seed.ts";
import { createTestDatabase } from "../postgres.ts";
import { formatFindings, judge } from "./judge.ts";
import { awayWorld, brandsWorld, moodWorld, smallWorld } from "./plays/generated.ts";
import { play } from "./plays/play.ts";
import { playRuleTests } from "./plays/rule-tests.ts";

/** What is true of each world. */
const WORLDS: readonly (readonly [is: string, check: () => Promise<void>])[] = [
  [
    "every number and link of a small world with late arrivals, edits and deletes is true",
    async () => {
      const { recounted, links } = await playTrue(smallWorld());
      expect(links).toBeGreaterThan(50);
      const least = {
        incident: 30,
        authors: 20,
        mood: 20,
        "count at the peak": 10,
        "first and furthest": 10,
      };
      for (const [name, count] of Object.entries(least))
        expect(recounted.get(name), name).toBeGreaterThan(count);
    },
  ],
  [
    "the digest of two brands that one cause hit is true",
    async () => {
      const { recording, recounted } = await playTrue(brandsWorld());
      const digests = recording.messages.filter((one) => one.kind === "email" && /stakeholders/.test(one.to));
      expect(digests).toHaveLength(1);
      for (const name of ["row of a brand", "alerts of an incident", "incidents of the time", "total"])
        expect(recounted.get(name), name).toBeGreaterThan(0);
    },
  ],
  [
    "what operators are told is true while vendors are away, mails come back and mentions cannot be stored",
    async () => {
      const { recounted } = await playTrue(awayWorld());
      const told = ["tries that failed", "messages that were refused", "mails that came back", "left out"];
      for (const name of told) expect(recounted.get(name), name).toBeGreaterThan(0);
    },
  ],
  [
    "a mood that stays bad below the limit of its rule is counted to its end",
    async () => {
      const { recounted } = await playTrue(moodWorld());
      expect(recounted.get("end and count")).toBeGreaterThan(0);
    },
  ],
  [
    "every number in the messages of the shipped rule tests is true",
    async () => {
      for (const { world, recording } of await playRuleTests({ serverUrl: inject("postgresUrl") })) {
        const { findings } = await judge(world, recording);
        expect(formatFindings(findings, world.timezone), world.name).toBe("");
      }
    },
  ],
];

/** Plays a world in a database of its own; all that its messages say is true. */
async function playTrue(story: Parameters<typeof play>[1]) {
  const database = await createTestDatabase();
  try {
    const { world, recording } = await play({ databaseUrl: database.url }, story);
    const { findings, ...judged } = await judge(world, recording);
    expect(formatFindings(findings, world.timezone)).toBe("");
    return { recording, ...judged };
  } finally {
    await database.drop();
  }
}

// In CI the first one, and one of the others for a commit.
const [small, ...others] = WORLDS;
test.each([...(small === undefined ? [] : [small]), ...oneBySeed(others, 0)])(
  "%s",
  { timeout: 300_000 },
  (_, check) => check(),
);
