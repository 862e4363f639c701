import { expect, test } from "vitest";
import { type ReceiverState, receiverWait } from "../../../src/notify/deliver/receiver-wait.ts";

const LANE = { key: "slack/alerts/x", everyMs: 1_000, burst: 5 };

function waitOf(state: Partial<ReceiverState>) {
  return receiverWait({
    receiver: "comms",
    waiting: 0,
    channel: LANE,
    closed: null,
    failure: null,
    ...state,
  });
}

test("a receiver that nothing keeps waiting is not spoken of", () => {
  expect(waitOf({})).toBeNull();
  expect(waitOf({ waiting: 3, channel: null })).toBeNull();
  expect(waitOf({ waiting: 3, channel: { ...LANE, everyMs: 0 } })).toBeNull();
});

test("why it waits: what somebody has to mend before what passes, and what passes before its own pace", () => {
  const closed = { forMs: 30_000, reason: "Slack asks us to wait 30s (rate limit)" };
  const refused = { final: true, message: "Slack refused the message: not_in_channel. Invite the app" };
  const failing = { final: false, message: "Slack cannot be reached" };
  expect(waitOf({ waiting: 4 })).toMatchObject({ outcome: "InLine", waiting: 4, forMs: 4_000 });
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
