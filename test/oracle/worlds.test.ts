import { expect, inject, test } from "vitest";
import { createTestDatabase } from "../postgres.ts";
import { formatFindings, judge } from "./judge.ts";
import { moodWorld, smallWorld } from "./plays/generated.ts";
import { play } from "./plays/play.ts";
import { playRuleTests } from "./plays/rule-tests.ts";

test("every number and link of a small world with late arrivals, edits and deletes is true", {
  timeout: 300_000,
}, async () => {
  const database = await createTestDatabase();
  try {
    const { world, recording } = await play({ databaseUrl: database.url }, smallWorld());
    const { findings, recounted, links } = await judge(world, recording);
    expect(formatFindings(findings, world.timezone)).toBe("");
    expect(links).toBeGreaterThan(50);
    const least = { incident: 30, authors: 20, mood: 20, "count at the peak": 10, "first and furthest": 10 };
    for (const [name, count] of Object.entries(least))
      expect(recounted.get(name), name).toBeGreaterThan(count);
  } finally {
    await database.drop();
  }
});

test("a mood that stays bad below the limit of its rule is counted to its end", {
  timeout: 300_000,
}, async () => {
  const database = await createTestDatabase();
  try {
    const { world, recording } = await play({ databaseUrl: database.url }, moodWorld());
    const { findings, recounted } = await judge(world, recording);
    expect(formatFindings(findings, world.timezone)).toBe("");
    expect(recounted.get("end and count")).toBeGreaterThan(0);
  } finally {
    await database.drop();
  }
});

test("every number in the messages of the shipped rule tests is true", { timeout: 600_000 }, async () => {
  for (const { world, recording } of await playRuleTests({ serverUrl: inject("postgresUrl") })) {
    const { findings } = await judge(world, recording);
    expect(formatFindings(findings, world.timezone), world.name).toBe("");
  }
});
