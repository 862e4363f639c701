import { createHmac } from "node:crypto";
import { expect, it } from "vitest";
import { webhook } from "../../../src/notify/notifiers/webhook.ts";
import { alertMessage, notifierDeps, testNotifier } from "../../contracts/notifier.ts";
import { startFakeWebServer } from "../../fakes/web-server.ts";
import { attacks } from "../../fixtures/attacks.ts";

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
      answers(408, true),
      answers(404, false),
      answers(410, false),
      answers(302, false),
      { name: "a broken connection", arrange: () => void fake.answers.push({ drop: true }), retryable: true },
    ],
  };
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
  await notifier.close();
  await fake.close();
  expect(fake.requests).toEqual([]);
});

it("what strangers wrote arrives as the text it is, in a body of ours", async () => {
  const fake = await startFakeWebServer();
  const notifier = webhook.create({ ...TO_THIS_MACHINE, url: fake.url }, await notifierDeps());
  const { view } = alertMessage();
  const short = attacks.filter(({ text }) => text.length < 1000);
  for (const { text, name } of short) {
    const message = alertMessage({ notificationId: "n-1", view: { ...view, because: text } });
    await notifier.send(message, { signal: AbortSignal.timeout(5_000) });
    const request = fake.requests.at(-1);
    expect(Object.keys(request?.headers ?? {}), name).toEqual(Object.keys(fake.requests[0]?.headers ?? {}));
    const body = JSON.parse(request?.body ?? "") as { alert: { because: string } };
    expect(body.alert.because, name).toBe(text);
  }
  await notifier.close();
  await fake.close();
});
