import { expect, test } from "vitest";
import { formatFindings, judge } from "../oracle/judge.ts";
import { generated } from "../oracle/plays/generated.ts";
import { play } from "../oracle/plays/play.ts";
import { createTestDatabase } from "../postgres.ts";

// Not in test:all: with steps of 30 min the order of poll and message differs between runs, and one of four runs finds a
// "now" that is a step old. It is to go back when the steps of the play are as short as the polls.

/**
 * What is not true to the last mention yet, with the reason: findings are made once and stay in the message (`authors`,
 * `mood`, and who was `first`, also if that mention is deleted later). A peak is not counted again when mentions of it are
 * deleted or judged anew later, and the sentence of an incident is that of its most severe alert: once that alert is over,
 * its peak is not the peak of the incident.
 */
const OPEN: ReadonlySet<string | null> = new Set([
  "authors",
  "mood",
  "first and furthest",
  "peak",
  "count at the peak",
]);

test("every number of a small world with storms, late arrivals, edits and deletes is true", {
  timeout: 900_000,
}, async () => {
  const database = await createTestDatabase();
  try {
    const { world, recording } = await play({ databaseUrl: database.url }, generated());
    const { findings, recounted, links } = await judge(world, recording);
    const wrong = findings.filter(
      ({ place, statement }) => !place.startsWith("page") && !OPEN.has(statement),
    );
    expect(formatFindings(wrong, world.timezone)).toBe("");
    expect(links).toBeGreaterThan(100);
    expect(recounted.get("incident")).toBeGreaterThan(50);
    expect(recounted.get("last hour")).toBeGreaterThan(0);
    expect(recounted.get("count now")).toBeGreaterThan(10);
    expect(recounted.get("end and count")).toBeGreaterThan(10);
    expect(recounted.get("against the usual")).toBeGreaterThan(5);
  } finally {
    await database.drop();
  }
});
