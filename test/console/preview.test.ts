import { afterAll, beforeAll, expect, test } from "vitest";
import { createPreviews } from "../../src/monitor/notify/previews/create-previews.ts";
import { createRenderer } from "../../src/monitor/templates/create-renderer.ts";
import { TEMPLATE_NAMES } from "../../src/monitor/templates/template-names.ts";
import { startTestConsole, type TestConsole } from "./start-test-console.ts";

let web: TestConsole;

beforeAll(async () => {
  const renderer = await createRenderer({ folder: "templates" });
  const previews = createPreviews({
    renderer,
    digests: () => [],
    editionOf: async () => null,
    contentOf: async () => null,
  });
  web = await startTestConsole(Date.UTC(2026, 2, 3), {
    deps: { previews },
  });
});
afterAll(() => web.close());

const page = async (path: string) => {
  const answer = await fetch(`${web.url}${path}`, { headers: { accept: "text/html" } });
  return {
    status: answer.status,
    policy: answer.headers.get("content-security-policy"),
    text: await answer.text(),
  };
};

test("the page shows a sample as Slack and as a mail program would, and names the others", async () => {
  const { status, text } = await page("/preview");
  expect(status).toBe(200);
  expect(text).toContain("62 negative mentions in 30 min, 11 expected");
  expect(text).toContain('src="/preview/html?about=alert"');
  expect(text).toContain('href="/preview?about=digest&amp;sample=quiet"');
});

test("the mail itself is in a frame that runs and fetches nothing", async () => {
  const { status, policy, text } = await page("/preview/html?about=digest&sample=full");
  expect(status).toBe(200);
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("sandbox");
  expect(text).toContain("Morning read");
});

test("a program gets the same as JSON", async () => {
  const answer = await fetch(`${web.url}/preview.json?about=alert&sample=resolved`);
  expect(await answer.json()).toMatchObject({
    slack: { text: expect.stringContaining("Northwind"), blocks: expect.any(Array) },
    email: { subject: expect.stringContaining("Northwind") },
  });
});

test.each(["/preview?sample=none", "/preview?alert=none", "/preview/html?alert=none"])(
  "what is not there is said to be missing: %s",
  async (path) => expect((await page(path)).status).toBe(404),
);

test("every template can be previewed alone, HTML in a frame and everything else as plain text", async () => {
  const { text } = await page("/preview");
  const names = [...text.matchAll(/href="\/preview\?template=([^"&]+)"/g)].map(([, name = ""]) => name);
  expect(names).toHaveLength(TEMPLATE_NAMES.length);
  for (const name of names)
    expect([name, (await page(`/preview?template=${name}`)).status]).toEqual([name, 200]);
  expect((await page("/preview?template=email/alert.txt")).text).toContain("62 negative mentions in 30 min");
  const html = await page("/preview?template=email/alert.html&sample=resolved");
  expect(html.text).toContain('src="/preview/html?template=email%2Falert.html&amp;sample=resolved"');
  const frame = await page("/preview/html?template=email/alert.html&sample=resolved");
  expect([frame.status, frame.policy?.includes("sandbox")]).toEqual([200, true]);
  expect((await page("/preview?template=slack/alert-size.mrkdwn")).text).toContain("<h2>In Slack</h2>");
  for (const path of ["/preview?template=email/none.txt", "/preview/html?template=email/alert.txt"])
    expect((await page(path)).status).toBe(404);
});
