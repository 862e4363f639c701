import { createHmac } from "node:crypto";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Notifier, NotifierMessage } from "../../../../src/monitor/notify/define-notifier.ts";
import { webhook } from "../../../../src/monitor/notify/notifiers/webhook.ts";
import { sampleAlertViews } from "../../../../src/monitor/templates/sample-alert-views.ts";
import { alertMessage, digestMessage, notifierDeps, testNotifier } from "../../../contracts/notifier.ts";
import { type FakeWebServer, startFakeWebServer } from "../../../fakes/web-server.ts";
import { anyText } from "../../../fixtures/any-text.ts";
import { attacks } from "../../../fixtures/attacks.ts";
import { withTexts } from "../../../fixtures/hostile-facts.ts";
import { runs } from "../../../runs.ts";

const TO_THIS_MACHINE = { kind: "webhook", allowPrivateAddress: true } as const;

testNotifier("webhook", async (deps) => {
  const fake = await startFakeWebServer();
  const answers = (status: number, retryable: boolean, retryAfterMs?: number) => ({
    name: `HTTP ${status}`,
    arrange: () =>
      void fake.answers.push({
        status,
        ...(retryAfterMs && { headers: { "retry-after": String(retryAfterMs / 1000) } }),
      }),
    retryable,
    ...(retryAfterMs && { retryAfterMs }),
    says: new RegExp(String(status)),
  });
  return {
    notifier: webhook.create({ ...TO_THIS_MACHINE, url: fake.url, secret: "very-secret-key" }, deps),
    received: async () => fake.requests,
    secrets: ["very-secret-path", "very-secret-key"],
    close: () => fake.close(),
    failures: [
      answers(500, true),
      answers(503, true, 4_000),
      answers(429, true, 30_000),
      {
        name: "a wait of years",
        arrange: () => void fake.answers.push({ status: 503, headers: { "retry-after": "99999999999" } }),
        retryable: true,
        retryAfterMs: 3_600_000,
      },
      answers(408, true),
      answers(404, false),
      answers(410, false),
      answers(302, false),
      { name: "a broken connection", arrange: () => void fake.answers.push({ drop: true }), retryable: true },
    ],
  };
});

it("a webhook tells an incident with its numbers, in version 2", async () => {
  const fake = await startFakeWebServer();
  const notifier = webhook.create({ ...TO_THIS_MACHINE, url: fake.url }, await notifierDeps());
  const day = sampleAlertViews.find(({ kind }) => kind === "day");
  if (day === undefined) throw new Error("no sample of a new day");
  const message = { ...alertMessage(), kind: "day" as const, view: day };
  await notifier.send(message, { signal: AbortSignal.timeout(5_000) });
  await fake.close();
  const body = JSON.parse(fake.requests[0]?.body ?? "") as Record<string, unknown>;
  expect(body).toMatchObject({
    version: 2,
    kind: "day",
    alert: { incident: { status: "open", day: 2, counts: { negative: 757, most: { count: 93 } } } },
  });
});

it("a webhook's body is signed with its time, and its key is the notification's", async () => {
  const fake = await startFakeWebServer();
  const notifier = webhook.create(
    { ...TO_THIS_MACHINE, url: fake.url, secret: "very-secret-key" },
    await notifierDeps(),
  );
  await notifier.send(alertMessage(), { signal: AbortSignal.timeout(5_000) });
  await fake.close();
  const [request] = fake.requests;
  const at = request?.headers["x-earshot-timestamp"];
  const expected = createHmac("sha256", "very-secret-key").update(`${at}.${request?.body}`).digest("hex");
  expect(request?.headers["x-earshot-signature"]).toBe(`sha256=${expected}`);
  expect(request?.headers["idempotency-key"]).toBe("n-1");
});

it("a login in the address is sent as one", async () => {
  const fake = await startFakeWebServer();
  const url = fake.url.replace("//", "//us%40er:p%3Aw@");
  const notifier = webhook.create({ ...TO_THIS_MACHINE, url }, await notifierDeps());
  await notifier.send(alertMessage(), { signal: AbortSignal.timeout(5_000) });
  await notifier.close();
  await fake.close();
  const login = Buffer.from("us@er:p:w").toString("base64");
  expect(fake.requests[0]?.headers["authorization"]).toBe(`Basic ${login}`);
});

it.each([
  "http://127.0.0.1:PORT/hook",
  "http://localhost:PORT/hook",
  "http://[::1]:PORT/hook",
  "http://[::ffff:127.0.0.1]:PORT/hook",
  "http://2130706433:PORT/hook",
  "http://0x7f.1:PORT/hook",
  "http://169.254.169.254/latest",
])("an address of a private network is refused unless it is allowed: %s", async (address) => {
  const fake = await startFakeWebServer();
  const url = address.replace("PORT", new URL(fake.url).port);
  const notifier = webhook.create(webhook.config.parse({ kind: "webhook", url }), await notifierDeps());
  const sent = notifier.send(alertMessage(), { signal: AbortSignal.timeout(5_000) });
  await expect(sent).rejects.toMatchObject({
    retryable: false,
    message: expect.stringContaining("private network"),
    advice: expect.stringContaining("allowPrivateAddress"),
  });
  const checked = notifier.check({ signal: AbortSignal.timeout(5_000) });
  await expect(checked).rejects.toThrow(/private network/);
  await notifier.close();
  await fake.close();
  expect(fake.requests).toEqual([]);
});

describe("text of strangers", () => {
  let fake: FakeWebServer;
  let notifier: Notifier;
  let usual: readonly string[];
  beforeEach(async () => {
    fake = await startFakeWebServer();
    notifier = webhook.create({ ...TO_THIS_MACHINE, url: fake.url, secret: "key" }, await notifierDeps());
    usual = (await send(alertMessage())).headers;
  });
  afterEach(async () => {
    await notifier.close();
    await fake.close();
  });

  async function send(message: NotifierMessage) {
    await notifier.send(message, { signal: AbortSignal.timeout(5_000) });
    const { headers, body = "" } = fake.requests.at(-1) ?? {};
    return { headers: Object.keys(headers ?? {}), body: JSON.parse(body) as Record<string, unknown> };
  }

  /** Sends a message made of each text, each in the next field; the body has them as they are, and nothing else. */
  async function expectAsItIs(texts: readonly string[]): Promise<void> {
    let turn = 0;
    const next = () => texts[turn++ % texts.length] ?? "";
    const alert = alertMessage();
    const digest = digestMessage();
    while (turn < texts.length) {
      const view = withTexts(alert.view, next) as typeof alert.view;
      const sent = await send({ ...alert, view });
      expect(sent.headers).toEqual(usual);
      expect(Object.keys(sent.body)).toEqual(["version", "notificationId", "kind", "sentAt", "alert"]);
      expect(sent.body["alert"]).toEqual(JSON.parse(JSON.stringify(view)));
      const read = withTexts(digest.view, next) as typeof digest.view;
      const { headers, body } = await send({ ...digest, view: read });
      expect(headers).toEqual(usual);
      expect(body["digest"]).toEqual(JSON.parse(JSON.stringify(read)));
    }
  }

  it("arrives unchanged, in a body of ours, whatever attack it is", () =>
    expectAsItIs(attacks.map(({ text }) => text)));

  it("arrives unchanged, whatever it is", () =>
    fc.assert(fc.asyncProperty(fc.array(anyText, { minLength: 1, maxLength: 10 }), expectAsItIs), {
      numRuns: runs(30),
    }));
});
