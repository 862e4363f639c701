import { createHmac } from "node:crypto";
import { expect, it } from "vitest";
import { webhook } from "../../../src/notify/notifiers/webhook.ts";
import { alertMessage, notifierDeps, testNotifier } from "../../contracts/notifier.ts";
import { startFakeWebServer } from "../../fakes/web-server.ts";

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
    notifier: webhook.create({ kind: "webhook", url: fake.url, secret: "very-secret-key" }, deps),
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
    { kind: "webhook", url: fake.url, secret: "very-secret-key" },
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
