import { describe, test } from "vitest";
import { hasRedis, NO_REDIS } from "../redis.ts";
import { databaseGoesAway, redisGoesAway, redisIsEmptied, runThrough } from "./outage-story.ts";

const WELL = { watching: true, begun: true, drained: true, broken: [] };

/** The engines are away for so long, once each; everything else is the same for every length. */
export function describeOutages(awayMs: number, timeout: number): void {
  describe.concurrent("work continues by itself, nothing is lost or sent twice, and the console shows the outage, after", {
    timeout,
  }, () => {
    test("PostgreSQL was gone for a while, with the queues in it", async ({ expect }) => {
      const came = await runThrough("postgres", [databaseGoesAway(awayMs)]);
      expect(came).toMatchObject(WELL);
      expect(came.outages).toContain("database Away");
    });

    test.skipIf(!hasRedis())(
      `PostgreSQL was gone for a while, then Redis, which came back empty and was emptied again (${NO_REDIS} where there is none)`,
      async ({ expect }) => {
        const came = await runThrough("redis", [
          databaseGoesAway(awayMs),
          redisGoesAway(awayMs),
          redisIsEmptied,
        ]);
        expect(came).toMatchObject(WELL);
        expect(came.outages).toEqual(["database Away", "queue Away", "queue Emptied"]);
      },
    );
  });
}
