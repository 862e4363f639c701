import { afterAll, beforeAll, expect, test } from "vitest";
import { parseConfig } from "../../src/admin/config/config.ts";
import { DAY } from "../../src/lib/instant.ts";
import { buildDigest } from "../../src/monitor/digest/build-digest.ts";
import { planDigests } from "../../src/monitor/digest/planned-digest.ts";
import type { PendingNotification } from "../../src/monitor/model/notification.ts";
import type { Unsubscribing } from "../../src/monitor/notify/view/signed-links.ts";
import { createUnsubscribeLinks, createUnsubscribing } from "../../src/monitor/notify/view/signed-links.ts";
import { startTestConsole, type TestConsole } from "./start-test-console.ts";

const NOW = Date.UTC(2026, 2, 3);
const config = await parseConfig({
  source: { baseUrl: "https://listening.example", username: "u", password: "p", clientId: "c" },
  receivers: [
    {
      name: "desk",
      kind: "email",
      to: "desk@a.example",
      from: "e@a.example",
      smtp: { host: "mail.a.example" },
    },
    {
      name: "boss",
      kind: "email",
      to: "boss@a.example",
      from: "e@a.example",
      smtp: { host: "mail.a.example" },
    },
    { name: "comms", kind: "slack", channel: "#alerts", token: "xoxb-1" },
  ],
  routes: [{ receivers: ["desk"] }],
  digests: [{ name: "morning", at: "08:00", timezone: "UTC", receivers: ["desk", "boss", "comms"] }],
});

let web: TestConsole;
let late: Unsubscribing;
let token: string;

beforeAll(async () => {
  web = await startTestConsole(NOW, {
    settings: { login: { username: "u", password: "a long password" } },
    deps: { unsubscribing: { find: (text) => late.find(text), set: (text, on) => late.set(text, on) } },
  });
  late = createUnsubscribing({ stores: web.stores, secret: "s", clock: web.clock });
  const link = createUnsubscribeLinks({
    receivers: config.receivers,
    secret: "s",
    consoleUrl: () => "https://earshot.example",
  })("morning", "desk");
  token = link?.replace("https://earshot.example/unsubscribe/", "") ?? "";
});
afterAll(() => web.close());

const ask = (init: RequestInit = {}, of = token, question = "") =>
  fetch(`${web.url}/unsubscribe/${of}${question}`, init);
const gone = () => web.stores.digests.unsubscribed("morning");

test("looking at the link changes nothing, and needs no login", async () => {
  const answer = await ask();
  expect(answer.status).toBe(200);
  expect(await answer.text()).toContain("Unsubscribe from <bdi>morning</bdi>?");
  expect(await gone()).toEqual([]);
});

test.each([
  ["application/x-www-form-urlencoded", "List-Unsubscribe=One-Click"],
  [
    "multipart/form-data; boundary=x",
    '--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n',
  ],
])("one click of a mail program ends it without a login: %s", async (type, body) => {
  await web.stores.digests.setSubscribed("morning", "desk", true);
  const answer = await ask({ method: "POST", headers: { "content-type": type }, body });
  expect(answer.status).toBe(200);
  expect(await gone()).toEqual(["desk"]);
});

test("an unsubscribed reader gets no digest, others do; and one can subscribe again", async () => {
  await ask({ method: "POST" });
  expect(await receiversOf("2026-03-03")).toEqual(["boss", "comms"]);
  await ask({ method: "POST" }, token, "?undo=yes");
  expect(await gone()).toEqual([]);
  expect(await receiversOf("2026-03-04")).toEqual(["boss", "comms", "desk"]);
});

test("a link that was changed, or made elsewhere, ends nothing", async () => {
  for (const wrong of [`${token}x`, `x${token}`, "nonsense", token.split(".")[0] ?? ""]) {
    expect((await ask({ method: "POST" }, wrong)).status).toBe(404);
  }
  expect(await gone()).toEqual([]);
});

test("Slack channels have no such link", () => {
  const links = createUnsubscribeLinks({
    receivers: config.receivers,
    secret: "s",
    consoleUrl: () => "https://earshot.example",
  });
  expect(links("morning", "comms")).toBeNull();
});

async function receiversOf(localDate: string): Promise<string[]> {
  const to = Date.parse(`${localDate}T08:00:00Z`);
  await web.stores.digests.announce({
    name: "morning",
    localDate,
    dueAt: to,
    period: { from: to - DAY, to },
    before: { from: to - 2 * DAY, to: to - DAY },
  });
  const pending: PendingNotification[] = [];
  await buildDigest(
    {
      store: web.stores,
      digests: planDigests(config.digests),
      clock: web.clock,
      historyMs: () => DAY,
      consoleUrl: () => null,
      titleOf: (rule) => rule,
      onPending: async (some) => void pending.push(...some),
    },
    { name: "morning", localDate },
  );
  return pending.map(({ receiver }) => receiver).sort();
}
