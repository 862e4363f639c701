import { expect, test, vi } from "vitest";
import { hasRedis, NO_REDIS, startRedis } from "../redis.ts";
import type { Engine } from "./engines.ts";
import { NEGATIVE } from "./rules.ts";
import { startStory } from "./story.ts";

const SUBJECT = expect.stringContaining(
  "[CRITICAL] Earshot: no new mentions are read and no new alerts are sent",
);
const RESOLVED = "[RESOLVED] Earshot: Queue stands still";

test.skipIf(!hasRedis())(
  `a queue whose engine is gone is reported to the operators without it (${NO_REDIS} where there is none)`,
  async () => {
    const redis = await startRedis();
    const engine: Engine = {
      name: "Redis",
      open: async () => {},
      backend: () => ({ kind: "redis", url: redis?.url ?? "", prefix: "gone" }),
      lose: async () => {},
      close: async () => {},
    };
    const story = await startStory({
      engine,
      rules: { negative: NEGATIVE },
      sweepEveryMs: 200,
      operator: { receivers: ["on-call"], standstill: "2s" },
    });
    try {
      story.clock.advance(60_000);
      await vi.waitFor(
        async () => expect((await story.earshot.stores.health.pulses()).get("sweep")).toBeLessThan(1_000),
        { timeout: 20_000, interval: 50 },
      );
      expect((await story.earshot.checkHealth()).problems).toEqual([]);
      await redis?.stop();
      await vi.waitFor(
        async () => {
          await story.earshot.checkHealth();
          expect(story.mailed("on-call@acme.example")).toEqual([SUBJECT]);
        },
        { timeout: 20_000, interval: 200 },
      );
      expect(story.smtp.mails[0]?.parsed.text).toMatch(
        /the queue has stood still for 1\ds.*Nothing is lost/is,
      );
      expect((await story.earshot.checkHealth()).heartbeat.outcome).not.toBe("Beats");
      await redis?.start();
      await vi.waitFor(
        async () => {
          story.clock.advance(60_000);
          await story.earshot.checkHealth();
          expect(
            await story.query("select state from earshot.alerts where rule = 'queue-stands-still'"),
          ).toEqual([{ state: "resolved" }]);
        },
        { timeout: 60_000, interval: 500 },
      );
      // One outage is one message and its end, although it was away and came back empty.
      await vi.waitFor(
        async () => {
          await story.earshot.checkHealth();
          expect(story.mailed("on-call@acme.example")).toHaveLength(2);
        },
        { timeout: 20_000, interval: 200 },
      );
      story.clock.advance(60_000);
      await story.earshot.checkHealth();
      expect(story.mailed("on-call@acme.example")).toEqual([SUBJECT, RESOLVED]);
    } finally {
      await story.end();
      await redis?.stop();
    }
  },
  120_000,
);
