import { pino } from "pino";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { ConnectionProblem } from "../../../../../src/monitor/notify/define-notifier.ts";
import { listenSocket } from "../../../../../src/monitor/notify/notifiers/slack/listen-socket.ts";
import { type FakeSlack, startFakeSlack } from "../../../../fakes/slack.ts";
import { until as waitUntil } from "../../../../until.ts";

let slack: FakeSlack;
let aborter: AbortController;
let said: string[];
/** How the socket fared. */
let states: (ConnectionProblem | null)[];
beforeEach(async () => {
  slack = await startFakeSlack();
  aborter = new AbortController();
  said = [];
  states = [];
});
afterEach(() => slack.close());

function listen(onInteraction: (payload: unknown) => Promise<void>, appToken = slack.appToken) {
  const log = pino({ level: "debug" }, { write: (line: string) => void said.push(line) });
  return listenSocket({
    config: { apiUrl: slack.apiUrl, appToken },
    onInteraction,
    onState: (problem) => void states.push(problem),
    log,
    signal: aborter.signal,
  });
}

const until = (what: string, isSo: () => boolean) => waitUntil(what, isSo, { withinMs: 8_000 });

test("clicks arrive over a socket, and only handled ones are acknowledged", async () => {
  const taken: unknown[] = [];
  const listening = listen(async (payload) => {
    if (payload === "broken") throw new Error("no database");
    taken.push(payload);
  });
  await until("open", () => slack.sockets.count() === 1);
  slack.sockets.send({ type: "interactive", envelope_id: "e-1", payload: { type: "block_actions" } });
  slack.sockets.send({ type: "interactive", envelope_id: "e-2", payload: "broken" });
  slack.sockets.send({ type: "something_new", envelope_id: "e-3", payload: {} });
  slack.sockets.send({ type: "interactive", envelope_id: "e-4", payload: { type: "shortcut" } });
  await until("answered", () => slack.sockets.answered.some((one) => one.envelope_id === "e-4"));
  expect(slack.sockets.answered.map((one) => one.envelope_id)).toEqual(["e-1", "e-4"]);
  expect(taken).toEqual([{ type: "block_actions" }, { type: "shortcut" }]);
  expect(said.join("")).toContain("a click could not be handled");
  aborter.abort();
  await listening;
  await until("closed", () => slack.sockets.count() === 0);
});

test("answers in threads arrive over it, too, and other events do not", async () => {
  const taken: unknown[] = [];
  const listening = listen(async (payload) => {
    taken.push(payload);
  });
  await until("open", () => slack.sockets.count() === 1);
  const event = (type: string) => ({ type: "event_callback", event: { type, text: type } });
  slack.sockets.send({ type: "events_api", envelope_id: "v-1", payload: event("reaction_added") });
  slack.sockets.send({ type: "events_api", envelope_id: "v-2", payload: event("message") });
  await until("answered", () => slack.sockets.answered.some((one) => one.envelope_id === "v-2"));
  expect(taken).toEqual([event("message")]);
  aborter.abort();
  await listening;
  await until("closed", () => slack.sockets.count() === 0);
});

test("a socket that Slack renews, or that breaks, is followed by another", async () => {
  const listening = listen(async () => {});
  await until("open", () => slack.sockets.count() === 1);
  slack.sockets.send({ type: "disconnect", reason: "refresh_requested" });
  await until("the second", () => slack.sockets.opened() === 2 && slack.sockets.count() === 1);
  slack.sockets.break();
  await until("the third", () => slack.sockets.opened() === 3 && slack.sockets.count() === 1);
  await until("it is told", () => states.length === 3);
  expect(states).toEqual([null, null, null]);
  slack.sockets.send({ type: "interactive", envelope_id: "e-9", payload: {} });
  await until("answered", () => slack.sockets.answered.length === 1);
  aborter.abort();
  await listening;
});

test("an invalid token is reported with what to do, without the token, and retried", async () => {
  const listening = listen(async () => {}, "xapp-wrong-and-secret");
  await until("tried again", () => slack.calls.length >= 2 && states.length >= 2);
  expect(states[1]).toEqual({ message: expect.stringContaining("Make a new one"), final: true });
  expect(said.join("")).toMatch(/app-level token is not valid.*connections:write/);
  expect(said.join("")).not.toContain("xapp-wrong-and-secret");
  aborter.abort();
  await listening;
});

test("slow work is acknowledged in time and continues", async () => {
  let finish = () => {};
  const listening = listen(() => new Promise<void>((resolve) => (finish = resolve)));
  await until("open", () => slack.sockets.count() === 1);
  const startedAt = performance.now();
  slack.sockets.send({ type: "interactive", envelope_id: "slow", payload: {} });
  await until("answered", () => slack.sockets.answered.length === 1);
  expect(performance.now() - startedAt).toBeLessThan(3_000);
  finish();
  aborter.abort();
  await listening;
});
