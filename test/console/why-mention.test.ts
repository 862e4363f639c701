import { afterAll, beforeAll, expect, test } from "vitest";
import { createTimes } from "../../src/console/common/times.ts";
import { whyMentionPage } from "../../src/console/pages/why-mention.ts";
import { createManualClock } from "../../src/lib/clock.ts";
import { loadRules } from "../../src/monitor/rules/load-rules.ts";
import { createMemoryTokenStore } from "../../src/monitor/source/session.ts";
import { createSourceClient, type SourceClient } from "../../src/monitor/source/source-client.ts";
import { type Fixture, SEED, startFixture } from "../listening-api/fixture.ts";
import { aMention } from "../mention.ts";
import { makeAStory } from "./make-a-story.ts";
import { startTestConsole, type TestConsole } from "./start-test-console.ts";

const NOW = Date.parse("2026-03-03T14:05:00Z");
let web: TestConsole;

let api: Fixture;
let client: SourceClient;

beforeAll(async () => {
  const { rules } = await loadRules("rules");
  api = await startFixture();
  const { username, password } = SEED.user;
  client = createSourceClient({
    baseUrl: await api.api.listen({ host: "127.0.0.1", port: 0 }),
    credentials: { username, password, clientId: "earshot-api-client" },
    tokens: createMemoryTokenStore(),
  });
  web = await startTestConsole(NOW, { rules, source: client.extensions });
  await makeAStory(web.stores, NOW);
});
afterAll(async () => {
  await web.close();
  await client.close();
  await api.stop();
});

const page = async (of: string) => {
  const answer = await fetch(`${web.url}/why?${new URLSearchParams({ of })}`, {
    headers: { accept: "text/html" },
  });
  return { status: answer.status, text: await answer.text() };
};

test("a mention's page shows what every rule makes of it, and links to its alert", async () => {
  const { status, text } = await page("courier-1");
  expect(status).toBe(200);
  expect(text).toContain("In <bdi>Kestrel Mobile</bdi>");
  expect(text).toMatch(/<strong>met<\/strong>.*its alert/s);
  expect(text).toContain("Why: rules that alerted");
  expect(text).toContain("Why not: rules that did not alert");
  expect(text).toMatch(/safety category<\/dt><dd><span dir="auto">Its category is Outage, the rule wants/i);
  expect(text).toMatch(/href="\/alerts\/[0-9a-f-]{36}"/);
});

test("every mention links there, and a mention that is not stored is explained, with a way to ask the source", async () => {
  const mentions = await (await fetch(`${web.url}/mentions`, { headers: { accept: "text/html" } })).text();
  expect(mentions).toMatch(/href="\/why\?of=[^"]+"/);
  const { text } = await page("nobody-said-this");
  expect(text).toContain("No such mention is stored");
  expect(text).toMatch(
    /Kestrel Mobile<\/bdi><\/dt><dd><span dir="auto">It is not stored\. The source was not asked/,
  );
  expect(text).toContain('href="/why?of=nobody-said-this&amp;ask=source"');
  expect((await page("")).text).toContain("Say which mention");
  // Searched in texts in vain: the list leads here.
  const empty = await fetch(`${web.url}/mentions?contains=https%3A%2F%2Fx.example%2F1`, {
    headers: { accept: "text/html" },
  });
  expect(await empty.text()).toContain('href="/why?of=https%3A%2F%2Fx.example%2F1"');
});

test("the source is asked when a reader of this console wants it, and not for a picture on a page of strangers", async () => {
  const ask = async (site: string) => {
    const headers = { accept: "text/html", "sec-fetch-site": site };
    return (await fetch(`${web.url}/why?of=nobody-said-this&ask=source`, { headers })).text();
  };
  expect(await ask("same-origin")).not.toContain("The source was not asked");
  expect(await ask("cross-site")).toContain("The source was not asked");
});

test("of two queries with one name, that of the feeds says so", async () => {
  const explained = (projectId: string) => ({
    projectId,
    queryName: "Acme",
    outcome: "absent",
    because: "no",
  });
  const unread = async () => ({
    queries: [explained("1"), explained("feeds-1")],
    withheld: [],
    rules: null,
  });
  const { body } = await whyMentionPage(
    { mention: async () => [], unread },
    { of: "x", ask: false, corrected: null },
    createTimes(createManualClock(NOW), "UTC"),
  );
  const names = [...String(body).matchAll(/<dt><bdi>(.*?)<\/bdi>/g)].map(([, name]) => name);
  expect(names).toEqual(["Acme", "Acme (feeds)"]);
});

test("a mention of our own feeds has a form that corrects its sentiment, for who may act; one of an account has none", async () => {
  let sentiment: string | null = "negative";
  const explained = (queryId: string) => ({
    mention: aMention({ queryId, resourceId: "a&b", sentiment }),
    ...{ projectId: "1", queryName: "Acme", seenAt: NOW, rules: [], alerts: [] },
  });
  const page = async (queryId: string, token: string | null, corrected: "neutral" | null = null) => {
    const of = { mention: async () => [explained(queryId)] };
    const times = createTimes(createManualClock(NOW), "UTC");
    const question = { of: "x", ask: false, corrected };
    const corrections = { takes: (id: string) => id.startsWith("feeds-"), choices: async () => [] };
    return String((await whyMentionPage(of, question, times, { token, corrections })).body);
  };
  expect(await page("feeds-7", "t")).toMatch(
    /action="\/mentions\/sentiment">.*name="query" value="feeds-7">\s*<input type="hidden" name="mention" value="a&amp;b">/s,
  );
  expect(await page("feeds-7", "t")).toContain('<option value="negative" selected>');
  sentiment = null;
  expect(await page("feeds-7", "t")).toContain('<option value="" selected disabled>not known</option>');
  for (const other of [page("7", "t"), page("feeds-7", null)])
    expect(await other).not.toContain("/mentions/sentiment");
  expect(await page("feeds-7", "t", "neutral")).toContain("Corrected to neutral.");
});
