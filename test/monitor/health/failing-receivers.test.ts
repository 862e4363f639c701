import { pino } from "pino";
import { expect, test } from "vitest";
import { createManualClock } from "../../../src/lib/clock.ts";
import { createHealth } from "../../../src/monitor/health/create-health.ts";
import { createOutageLog } from "../../../src/monitor/health/note-outages.ts";
import { OperatorConfig } from "../../../src/monitor/health/operators.ts";
import type { Notifier } from "../../../src/monitor/notify/define-notifier.ts";
import { useStores } from "../../use-stores.ts";

const NOW = Date.UTC(2026, 2, 2, 12);
const { stores } = await useStores();
const clock = createManualClock(NOW);

test("receivers that failed are checked all at once: one that hangs holds up no other, and no heartbeat", async () => {
  let open = (): void => {};
  const allAsked = new Promise<void>((resolve) => {
    open = resolve;
  });
  let asked = 0;
  // Each answers when the other was asked, too.
  const waiting: Notifier = {
    send: async () => ({ vendorRef: {} }),
    check: async ({ signal }) => {
      asked += 1;
      if (asked === 2) open();
      const abandoned = new Promise<never>((_, reject) => {
        signal.addEventListener("abort", () => reject(new Error("no answer in time")), { once: true });
      });
      await Promise.race([allAsked, abandoned]);
    },
    close: async () => {},
  };
  const notifiers = new Map([
    ["comms", waiting],
    ["on-call", waiting],
  ]);
  for (const scope of notifiers.keys()) {
    await stores.failures.note(
      { kind: "receiver", scope, reason: "failing", message: "HTTP 503", final: false },
      NOW,
    );
    await stores.failures.noteCheck(scope, true);
  }
  const health = createHealth({
    ...{ stores, notifiers, clock, sweepsRun: false, startedAt: NOW },
    config: { operator: OperatorConfig.parse({}), receivers: [], sources: [] },
    recordProblems: async () => {},
    deliver: {
      ...{ log: stores.notifications, channelLimits: stores.channelLimits, clock },
      liveMessages: stores.alertMessages,
      receiversOf: () => [],
      notifierOf: (name) => notifiers.get(name),
      viewOf: async () => null,
    },
    outages: createOutageLog({ stores, clock, sweepsRun: false, queueIn: "in-process" }),
    feedHealth: async () => [],
    log: pino({ level: "silent" }),
    signal: new AbortController().signal,
  });
  await health.checkHealth();
  expect(await stores.failures.open()).toEqual([]);
});
