import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FeedConsoles, openFeedConsoles, PUSH_TOKEN } from "./feed-consoles.ts";
import { hasBrowser, openBrowser } from "./open-browser.ts";
import type { TestConsole } from "./start-test-console.ts";

describe.skipIf(!hasBrowser("the pages of feeds"))("in a browser", () => {
  let all: FeedConsoles;
  let web: TestConsole;
  let browser: Browser;
  beforeAll(async () => {
    all = await openFeedConsoles();
    web = await all.start({}, true);
    browser = await openBrowser();
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await all?.close();
  });

  /** A page that records messages of the browser's console, such as policy violations. */
  async function openPage(path: string, options: BrowserContextOptions = {}) {
    const page: Page = await (
      await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })
    ).newPage();
    const faults: string[] = [];
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") faults.push(message.text());
    });
    page.on("pageerror", (error) => faults.push(error.message));
    await page.goto(`${web.url}${path}`);
    return { page, faults };
  }

  test.each(["light", "dark"] as const)(
    "the pages fit a phone, in %s, and break no policy",
    async (colorScheme) => {
      for (const path of ["/health", "/setup"]) {
        const { page, faults } = await openPage(path, { viewport: { width: 360, height: 740 }, colorScheme });
        expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
        for (const button of await page.locator("main button").all())
          expect((await button.boundingBox())?.height).toBeGreaterThanOrEqual(36);
        expect([path, faults]).toEqual([path, []]);
        await page.context().close();
      }
    },
  );

  test("the list changes while the page is open", async () => {
    const { page, faults } = await openPage("/health");
    await page.locator("#live").filter({ hasText: "Live" }).waitFor();
    const row = page.locator("tr", { hasText: "zapier" });
    const before = await row.innerText();
    await all.listening.push?.take(PUSH_TOKEN, { id: 7, text: "Acme is here" });
    await row.filter({ hasNotText: "nothing was sent to it yet" }).waitFor();
    expect(await row.innerText()).not.toBe(before);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test("without scripts, by keyboard: a feed is tried, and a brand is set up", async () => {
    const { page } = await openPage("/health", { javaScriptEnabled: false });
    await page.locator("main button").first().focus();
    await page.keyboard.press("Enter");
    await page.getByText("2 items, 1 matched.").waitFor();
    await page.goto(`${web.url}/setup`);
    await page.getByLabel("Name of the brand").fill("Acme");
    await page.getByLabel("Addresses of feeds").fill(`${all.server.url}/feed`);
    // No kind is fetched from outside.
    for (const kind of await page.locator("input[name=kinds]").all()) await kind.uncheck();
    await page.getByRole("button", { name: "Show, and try the feeds" }).press("Enter");
    await page.getByText("2 items, 1 matched.").waitFor();
    await page.getByRole("button", { name: "Write the files" }).press("Enter");
    await page.getByRole("heading", { name: "Written" }).waitFor();
    await page.context().close();
  });
});
