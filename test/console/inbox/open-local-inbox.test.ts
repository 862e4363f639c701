import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseConfig } from "../../../src/admin/config/config.ts";
import type { InboxMessage } from "../../../src/console/inbox/inbox-store.ts";
import { withLocalInbox } from "../../../src/console/inbox/open-local-inbox.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { createClosing } from "../../../src/lib/closing.ts";
import { UserError } from "../../../src/lib/errors.ts";
import { openDatabase } from "../../../src/monitor/store/database.ts";
import { createInboxStore } from "../../../src/monitor/store/inbox.ts";
import { createTestDatabase } from "../../postgres.ts";

const closing = createClosing();
let databaseUrl: string;
beforeAll(async () => {
  const database = await createTestDatabase();
  closing.add(database.drop);
  databaseUrl = database.url;
});
afterAll(() => closing.close());

const LISTEN = { listen: { queries: [{ name: "Acme", text: "acme" }], feeds: [{ kind: "hacker-news" }] } };
const HOOK = { name: "hook", kind: "webhook", url: "https://hook.example/" };
const NAMED = { ...LISTEN, receivers: [HOOK], routes: [{ receivers: ["hook"] }] };
const open = async (content: object) =>
  withLocalInbox(
    await parseConfig(content),
    { databaseUrl, clock: systemClock, log: pino({ level: "silent" }), consoleUrl: () => null },
    closing,
  );

test("who listens and names no receiver has a Slack channel and a mailbox; an account needs receivers", async () => {
  const config = await parseConfig(LISTEN);
  expect(config.usesLocalInbox).toBe(true);
  expect(config.receivers.map(({ name, notifier }) => [name, notifier.kind])).toEqual([
    ["comms", "slack"],
    ["mail", "email"],
  ]);
  expect(config.routes.map(({ receivers }) => receivers)).toEqual([["comms"]]);
  // Routes of one's own name the same receivers.
  const routed = await parseConfig({ ...LISTEN, routes: [{ receivers: ["mail"] }] });
  expect(routed.routes[0]?.receivers).toEqual(["mail"]);
  const unknown = parseConfig({ ...LISTEN, routes: [{ receivers: ["comm"] }] });
  await expect(unknown).rejects.toThrow(UserError);
  expect((await parseConfig(NAMED)).usesLocalInbox).toBe(false);
  const source = { baseUrl: "https://x.example", username: "a", password: "b", clientId: "c" };
  await expect(parseConfig({ source })).rejects.toThrow(
    expect.objectContaining({
      details: [': "receivers" is missing', ': "routes" is missing'],
    }),
  );
});

test("each process has servers of its own, and all of them one inbox", async () => {
  const [first, second] = [await open(LISTEN), await open(LISTEN)];
  const config = await parseConfig(LISTEN);
  const slackOf = ({ configOf }: typeof first) => {
    const notifier = configOf(config).receivers[0]?.notifier;
    if (notifier?.kind !== "slack") throw new Error("the first receiver is in Slack");
    return notifier;
  };
  expect(slackOf(first).apiUrl).not.toBe(slackOf(second).apiUrl);
  for (const one of [first, second]) {
    const { apiUrl, token, signingSecret } = slackOf(one);
    expect(signingSecret?.length).toBeGreaterThan(15);
    const answer = await fetch(`${apiUrl}chat.postMessage`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ channel: "#brand-alerts", text: "hello" }),
    });
    expect(await answer.json()).toMatchObject({ ok: true });
  }
  const database = openDatabase({ url: databaseUrl, onError: () => {} });
  closing.add(database.close);
  expect(await createInboxStore<InboxMessage>(database.db).list({ limit: 9 })).toHaveLength(2);
});

test("a reload may name receivers, but taking them away needs a restart", async () => {
  const inbox = await open(LISTEN);
  expect(inbox.configOf(await parseConfig(NAMED)).receivers.map(({ name }) => name)).toEqual(["hook"]);
  const named = await open(NAMED);
  expect(named.press).toBeNull();
  const listening = await parseConfig(LISTEN);
  expect(() => named.configOf(listening)).toThrow("`receivers` was removed");
});
