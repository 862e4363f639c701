import { describe, test } from "vitest";
import { SECOND } from "../../src/lib/instant.ts";
import { hasRedis, NO_REDIS } from "../redis.ts";
import { databaseGoesAway, liveThrough, redisGoesAway, redisIsEmptied } from "./outage-story.ts";

/** Longer than every lease, lock and connection timeout; `test/long` is away for a minute of sixty seconds. */
const AWAY_MS = 11 * SECOND;

const WELL = { watching: true, begun: true, drained: true, broken: [] };

describe.concurrent("work goes on by itself, nothing is lost or told twice, and what happened stands on the page, after", {
  timeout: 240_000,
}, () => {
  test("PostgreSQL was gone for a while, with the queues in it", async ({ expect }) => {
    const came = await liveThrough("postgres", [databaseGoesAway(AWAY_MS)]);
    expect(came).toMatchObject(WELL);
    expect(came.outages).toContain("database away");
  });

  test.skipIf(!hasRedis())(
    `PostgreSQL was gone for a while, then Redis, which came back empty and was emptied again (${NO_REDIS} where there is none)`,
    async ({ expect }) => {
      const came = await liveThrough("redis", [
        databaseGoesAway(AWAY_MS),
        redisGoesAway(AWAY_MS),
        redisIsEmptied,
      ]);
      expect(came).toMatchObject(WELL);
      expect(came.outages).toEqual(["database away", "queue away", "queue emptied"]);
    },
  );
});
