import { expect, test } from "vitest";
import { type ReceiverState, receiverWait } from "../../../../src/monitor/notify/deliver/receiver-waits.ts";

const CHANNEL = { key: "slack/alerts/x", everyMs: 1_000, burst: 5 };

function waitOf(state: Partial<ReceiverState>) {
  return receiverWait({
    receiver: "comms",
    waiting: 0,
    inLine: state.waiting ?? 0,
    channel: CHANNEL,
    closed: null,
    failure: null,
    ...state,
  });
}

test("a receiver without a wait is not listed", () => {
  expect(waitOf({})).toBeNull();
  expect(waitOf({ waiting: 3, channel: null })).toBeNull();
  expect(waitOf({ waiting: 3, channel: { ...CHANNEL, everyMs: 0 } })).toBeNull();
  // A mail server's limit: nobody notices it.
  expect(waitOf({ waiting: 3, channel: { ...CHANNEL, everyMs: 20 } })).toBeNull();
  expect(waitOf({ waiting: 0, inLine: 300 })).toBeNull();
  expect(waitOf({ waiting: 300, channel: { ...CHANNEL, everyMs: 20 } })).toMatchObject({ outcome: "InLine" });
});

test("the reason of a wait: first what somebody has to fix, then what passes, then its own rate limit", () => {
  const closed = { forMs: 30_000, reason: "Slack asks us to wait 30s (rate limit)" };
  const refused = { final: true, message: "Slack refused the message: not_in_channel. Invite the app" };
  const failing = { final: false, message: "Slack cannot be reached" };
  expect(waitOf({ waiting: 4 })).toMatchObject({ outcome: "InLine", waiting: 4, forMs: 4_000 });
  // Others post to the same channel.
  expect(waitOf({ waiting: 4, inLine: 60 })).toMatchObject({ outcome: "InLine", waiting: 4, forMs: 60_000 });
  expect(waitOf({ waiting: 4, failure: failing })).toMatchObject({
    outcome: "TriedAgain",
    because: failing.message,
  });
  expect(waitOf({ closed, failure: failing })).toMatchObject({
    outcome: "Paused",
    forMs: 30_000,
    because: closed.reason,
  });
  expect(waitOf({ closed: { forMs: 1_000, reason: null }, failure: failing })).toMatchObject({
    outcome: "Paused",
    because: failing.message,
  });
  expect(waitOf({ waiting: 2, closed, failure: refused })).toMatchObject({
    outcome: "Refused",
    because: refused.message,
  });
});
