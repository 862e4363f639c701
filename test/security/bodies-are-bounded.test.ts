import { afterEach, expect, test } from "vitest";
import { planFeeds } from "../../src/feeds/run/plan-feeds.ts";
import { createPushEndpoint } from "../../src/feeds/run/push-endpoint.ts";
import { SLACK_PATH } from "../../src/monitor/notify/notifiers/slack/slack-endpoint.ts";
import { startTestConsole, type TestConsole } from "../console/start-test-console.ts";
import { feedsOf } from "../feeds/feeding.ts";
import { startFixture } from "../listening-api/fixture.ts";
import { until } from "../until.ts";
import { type Held, holdOpen, letGo, portOf } from "./hold-open.ts";

const NOW = Date.parse("2026-03-03T14:05:00Z");
const TOKEN = "token-of-a-script";
const MB = 1024 * 1024;

const SOON = { withinMs: 10_000 };

let web: TestConsole;
let received = 0;
const interactions: string[] = [];
let held: Held[] = [];

/** `requestTimeoutMs`: short, where a test waits for the end of half bodies. */
async function start(requestTimeoutMs: number): Promise<void> {
  received = 0;
  const push = createPushEndpoint({
    feeds: planFeeds({ feeds: feedsOf({ kind: "push", name: "script", token: TOKEN }), queries: [] }),
    receive: async (_feed, { items }) => {
      received += items.length;
      return { added: items.length, edited: 0, deleted: 0, matched: 0 };
    },
    log: { error: () => {} },
  });
  const endpoint = {
    ...{ path: SLACK_PATH, mostBytes: 256 * 1024 },
    take: async ({ body }: { readonly body: string }) => {
      interactions.push(body);
      return "Taken" as const;
    },
  };
  web = await startTestConsole(NOW, { deps: { push, interactions: [endpoint], requestTimeoutMs } });
}
afterEach(async () => {
  letGo(held);
  held = [];
  await web.close();
});

function half(path: string, length: number, more: readonly string[] = []): Held {
  const lines = [`POST ${path} HTTP/1.1`, "Host: localhost", `Content-Length: ${length}`, ...more, "", ""];
  const one = holdOpen(portOf(web.url), lines.join("\r\n"));
  held.push(one);
  return one;
}
const halfPush = (token: string) => half("/feeds/push", MB, [`Authorization: Bearer ${token}`]);
const push = (text: string) =>
  fetch(`${web.url}/feeds/push`, {
    method: "POST",
    headers: { authorization: `Bearer ${TOKEN}` },
    body: JSON.stringify({ text }),
  });

test("a push without the token of a feed is refused before a byte of its body", async () => {
  await start(4_000);
  const strangers = [halfPush("wrong"), halfPush(""), half("/feeds/push", 500 * MB)];
  await Promise.all(strangers.map(({ gone }) => gone));
  for (const { answer } of strangers) {
    expect(answer()).toMatch(/^HTTP\/1\.1 401 /);
    expect(answer()).toMatch(/\r\nconnection: close\r\n/i);
  }
});

test("a push of more than 1 MB is answered with what to do, and is not read", async () => {
  await start(4_000);
  const large = half("/feeds/push", MB + 1, [`Authorization: Bearer ${TOKEN}`]);
  await large.gone;
  expect(large.answer()).toMatch(/^HTTP\/1\.1 413 .*send fewer mentions at a time/s);
  expect((await push("x".repeat(90_000))).status).toBe(200);
  expect(received).toBe(1);
});

test("the bytes of pushes that wait are bounded in sum, and slow ones make room again", async () => {
  await start(1_500);
  const slow = Array.from({ length: 4 }, () => halfPush(TOKEN));
  await until(
    "there is no room",
    async () => {
      const refused = await push("one more");
      return refused.status === 503 && refused.headers.get("retry-after") === "1";
    },
    SOON,
  );
  await Promise.all(slow.map(({ gone }) => gone));
  for (const { answer } of slow) expect(answer()).toMatch(/^HTTP\/1\.1 408 /);
  expect((await push("there is room")).status).toBe(200);
});

test("half interactions of strangers are bounded in sum, and keep no whole one out", async () => {
  await start(4_000);
  const strangers = Array.from({ length: 40 }, () => half("/slack/interactions", 256 * 1024));
  const post = (body: string) => fetch(`${web.url}/slack/interactions`, { method: "POST", body });
  expect((await post("payload=1")).status).toBe(200);
  expect(interactions).toEqual(["payload=1"]);
  // Ended without an answer, for the others; the rest get theirs when they are late.
  await Promise.all(strangers.map(({ gone }) => gone));
  const late = strangers.filter(({ answer }) => /^HTTP\/1\.1 408 /.test(answer()));
  expect(late.length).toBeLessThanOrEqual(16);
  expect((await post("x".repeat(256 * 1024 + 1))).status).toBe(413);
});

test("the local Listening API refuses a stranger's edit before a byte of its body", async () => {
  await start(4_000);
  const fixture = await startFixture();
  try {
    const url = await fixture.api.listen({ host: "127.0.0.1", port: 0 });
    const path = `/projects/${fixture.account.projectId}/data/mentions`;
    const lines = [`PATCH ${path} HTTP/1.1`, "Host: localhost", "Content-Length: 2000000", "", ""];
    const one = holdOpen(Number(new URL(url).port), lines.join("\r\n"));
    held.push(one);
    await until("it is answered", () => one.answer() !== "", SOON);
    expect(one.answer()).toMatch(/^HTTP\/1\.1 401 /);
  } finally {
    await fixture.stop();
  }
});
