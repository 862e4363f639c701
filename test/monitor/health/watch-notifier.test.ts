import { expect, test } from "vitest";
import { createManualClock } from "../../../src/lib/clock.ts";
import { observeNotifier } from "../../../src/monitor/health/note-failures.ts";
import type { Notifier, UpdateResult } from "../../../src/monitor/notify/define-notifier.ts";
import { sampleAlertViews } from "../../../src/monitor/templates/sample-alert-views.ts";
import { useStores } from "../../use-stores.ts";

const { stores } = await useStores({ onError: () => {} });

test("a missing chart is a failure with what to do, until one arrives", async () => {
  let picture: UpdateResult["picture"] = {
    outcome: "LeftOut",
    because: "the Slack app lacks the scope files:write",
  };
  const channel = { key: "edits", everyMs: 0, burst: 1 };
  const notifier: Notifier = {
    channel: { ...channel, key: "posts" },
    liveMessages: { editEveryMs: 0, channel, updateMessage: async () => ({ finished: true, picture }) },
    send: async () => ({ vendorRef: {} }),
    check: async () => {},
    close: async () => {},
  };
  const watched = observeNotifier("comms", notifier, { stores, clock: createManualClock(0) });
  expect([watched.channel?.key, watched.liveMessages?.channel.key]).toEqual(["posts", "edits"]);
  const [view] = sampleAlertViews;
  const show = () =>
    watched.liveMessages?.updateMessage(
      { notificationId: "n", alertId: "a", attempt: 1, view, previous: {} },
      {
        signal: AbortSignal.timeout(1_000),
        mayPost: async () => true,
        beforePost: async () => {},
        onRef: async () => {},
      },
    );
  await show();
  const [failure] = await stores.failures.open();
  expect(failure).toMatchObject({
    kind: "extra",
    scope: "comms",
    message: expect.stringContaining("files:write"),
  });
  picture = null;
  await show();
  expect(await stores.failures.open()).toHaveLength(1);
  picture = { outcome: "Brought" };
  await show();
  expect(await stores.failures.open()).toEqual([]);
});
