import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { aMention } from "../mention.ts";
import { anAlert, storeMentions } from "./make-a-story.ts";
import { startTestConsole, type TestConsole } from "./start-test-console.ts";

const NOW = Date.parse("2026-03-03T14:05:00Z");
let web: TestConsole;

beforeAll(async () => {
  web = await startTestConsole(NOW);
});
afterEach(() => web.clock.set(NOW));
afterAll(() => web.close());

/** Events of the stream that a page with this address would open, until `enough` returns true. */
async function listenTo(
  path: string,
  during: () => Promise<void>,
  enough: (text: string) => boolean,
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const stop = new AbortController();
  const response = await fetch(`${web.url}${path}`, {
    headers,
    signal: AbortSignal.any([stop.signal, AbortSignal.timeout(10_000)]),
  });
  if (response.body === null) throw new Error("no stream");
  await during();
  let text = "";
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (enough(text)) break;
  }
  stop.abort();
  return text;
}

async function streamAddress(): Promise<string> {
  const page = await (await fetch(web.url, { headers: { accept: "text/html" } })).text();
  return /sse-connect="([^"]+)"/.exec(page)?.[1] ?? "";
}

test("a listener gets events for the changed parts, and only those", async () => {
  const text = await listenTo(
    await streamAddress(),
    () => web.stores.alerts.save([anAlert({ openedAt: NOW })]),
    (received) => received.includes("event: alerts"),
  );
  expect(text).not.toContain("event: mentions");
  expect(text).not.toContain("event: inbox");
});

test("what changed between the making of a page and its stream is sent", async () => {
  const address = await streamAddress();
  await storeMentions(web.stores, [aMention({ resourceId: "between", addedAt: NOW })], NOW);
  await listenTo(
    address,
    async () => undefined,
    (received) => received.includes("event: mentions"),
  );
});

test("a reader that resumes gets what it missed since its last event, and nothing that it had", async () => {
  const address = await streamAddress();
  const before = await listenTo(
    address,
    () => web.stores.alerts.save([anAlert({ openedAt: NOW })]),
    (received) => received.includes("event: alerts"),
  );
  const lastId = /id: (.+)\nevent: alerts/.exec(before)?.[1] ?? "";
  await storeMentions(web.stores, [aMention({ resourceId: "missed", addedAt: NOW })], NOW);
  // A browser asks for the same address again: what its page showed is older than its last event.
  const resumed = await listenTo(
    address,
    async () => web.clock.advance(60_000),
    (received) => received.includes("event: clock"),
    { "last-event-id": lastId },
  );
  expect(resumed).toContain("event: mentions");
  expect(resumed).not.toContain("event: alerts");
});

test("a mention that only changed is news as well", async () => {
  const address = await streamAddress();
  const changed = aMention({
    resourceId: "between",
    addedAt: NOW,
    updatedAt: NOW + 1,
    sentiment: "negative",
  });
  await storeMentions(web.stores, [changed], NOW);
  await listenTo(
    address,
    async () => undefined,
    (received) => received.includes("event: mentions"),
  );
});

test("the domain clock is sent when its minute changes", async () => {
  const text = await listenTo(
    await streamAddress(),
    async () => web.clock.advance(60_000),
    (received) => received.includes("event: clock"),
  );
  expect(text).toContain("data: Tue 14:06 UTC");
});

test("a page that was paused opens no stream", async () => {
  const page = await (await fetch(`${web.url}/?live=off`, { headers: { accept: "text/html" } })).text();
  expect(page).not.toContain("sse-connect");
  expect(page).toContain(">Resume</a>");
});
