import { afterAll, beforeAll, expect, test } from "vitest";
import { loadRules } from "../../src/rules/load-rules.ts";
import { tellAStory } from "./make-a-story.ts";
import { startTestConsole, type TestConsole } from "./start-test-console.ts";

const NOW = Date.parse("2026-03-03T14:05:00Z");
let web: TestConsole;

beforeAll(async () => {
  const { rules } = await loadRules("rules");
  web = await startTestConsole(NOW, { rules });
  await tellAStory(web.stores, NOW);
});
afterAll(() => web.close());

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
  expect(text).toMatch(/safety category<\/dt><dd>not met/i);
  expect(text).toMatch(/href="\/alerts\/[0-9a-f-]{36}"/);
});

test("every mention links there, and a mention that is not stored is reported", async () => {
  const mentions = await (await fetch(`${web.url}/mentions`, { headers: { accept: "text/html" } })).text();
  expect(mentions).toMatch(/href="\/why\?of=[^"]+"/);
  expect((await page("nobody-said-this")).text).toContain("No such mention is stored");
  expect((await page("")).text).toContain("No such mention is stored");
});
