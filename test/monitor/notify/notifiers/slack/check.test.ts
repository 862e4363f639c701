import { afterEach, expect, test } from "vitest";
import { parseConfig } from "../../../../../src/admin/config/config.ts";
import { UserError } from "../../../../../src/lib/errors.ts";
import { slack } from "../../../../../src/monitor/notify/notifiers/slack.ts";
import { notifierDeps } from "../../../../contracts/notifier.ts";
import { type FakeSlack, startFakeSlack } from "../../../../fakes/slack.ts";

const RECEIVER = { name: "comms", kind: "slack", channel: "#alerts", token: "xoxb-1" };

/** The faults of a configuration with this receiver. */
async function faultsOf(receiver: object, web: object = {}): Promise<readonly string[]> {
  try {
    await parseConfig({
      source: { baseUrl: "https://a.example", username: "a", password: "b", clientId: "c" },
      receivers: [{ ...RECEIVER, ...receiver }],
      routes: [{ receivers: ["comms"] }],
      web,
    });
    return [];
  } catch (error) {
    if (error instanceof UserError) return error.details;
    throw error;
  }
}

test.each([
  [
    "an app-level token in the place of the bot's",
    { token: "xapp-1" },
    /app-level token; expected the bot token/,
  ],
  ["a webhook's address for a token", { token: "https://hooks.slack.com/x" }, /webhook's address/],
  ["a bot token in the place of the app's", { appToken: "xoxb-1" }, /app-level token \(xapp-…\)/],
  ["a token for a signing secret", { signingSecret: "xoxb-1234567890123456" }, /signing secret of the app/],
  [
    "a signing secret without an address",
    { signingSecret: "8f742231b10e8888abcd99" },
    /web.publicUrl.*appToken/,
  ],
  ["a pace that is no time", { postEvery: "often" }, /postEvery/],
  ["a misspelt key", { apptoken: "xapp-1" }, /apptoken/],
])("the check reports %s", async (_name, receiver, said) => {
  expect((await faultsOf(receiver)).join("\n")).toMatch(said);
});

test("either way to buttons is valid", async () => {
  const publicUrl = "https://earshot.example";
  expect(await faultsOf({ appToken: "xapp-1" })).toEqual([]);
  expect(await faultsOf({ signingSecret: "8f742231b10e8888abcd99" }, { publicUrl })).toEqual([]);
  expect(await faultsOf({ signingSecret: "8f742231b10e8888abcd99", appToken: "xapp-1" })).toEqual([]);
});

let fake: FakeSlack | undefined;
afterEach(async () => {
  await fake?.close();
  fake = undefined;
});

async function notifierWith(scopes: readonly string[] | undefined, appToken: string) {
  fake = await startFakeSlack({ channels: ["alerts"], ...(scopes && { scopes }) });
  const { token, apiUrl } = fake;
  const config = slack.config.parse({ kind: "slack", channel: "#alerts", token, apiUrl, appToken });
  return slack.create(config, await notifierDeps());
}

const options = () => ({ signal: AbortSignal.timeout(10_000) });

test("the doctor finds nothing if the app has everything", async () => {
  const notifier = await notifierWith(undefined, "xapp-1-very-secret-app-token");
  await notifier.check(options());
  expect(await notifier.notes?.(options())).toEqual([]);
});

test("the doctor names each scope that is missing with what it costs, and a token that opens no socket", async () => {
  const notifier = await notifierWith(["chat:write", "channels:read", "channels:history"], "xapp-wrong");
  await notifier.check(options());
  const notes = (await notifier.notes?.(options())) ?? [];
  expect(notes.map(({ found }) => found)).toEqual([
    "its buttons do nothing: no socket can be opened",
    expect.stringContaining("groups:read"),
    expect.stringContaining("groups:history"),
    "the Slack app lacks the scope files:write: messages bring no charts",
    expect.stringContaining("users:read"),
  ]);
  expect(notes[0]?.advice).toContain("connections:write");
  expect(JSON.stringify(notes)).not.toContain("xapp-wrong");
});

test("an app that may not post is a receiver that does not work", async () => {
  const notifier = await notifierWith(["channels:read"], "xapp-1");
  await expect(notifier.check(options())).rejects.toMatchObject({
    retryable: false,
    advice: expect.any(String),
  });
});

test("a list of channels that comes again and again ends the search", async () => {
  const notifier = await notifierWith(undefined, "xapp-1-very-secret-app-token");
  const list = { ok: true, channels: [], response_metadata: { next_cursor: "dGVhbTpD" } };
  const answer = { status: 200, body: JSON.stringify(list) };
  for (let n = 0; n < 2; n++) fake?.faults.push({ method: "conversations.list", answer });
  fake?.faults.push({ method: "conversations.list", hang: "before" });
  await expect(notifier.check(options())).rejects.toMatchObject({ code: "channel_not_found" });
});
