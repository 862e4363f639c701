import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { MINUTE } from "../../src/lib/instant.ts";
import { aMention } from "../mention.ts";
import { faultsOfPages } from "./faults-of-page.ts";
import { makeAStory, storeMentions } from "./make-a-story.ts";
import { hasBrowser, openBrowser } from "./open-browser.ts";
import { startTestConsole, type TestConsole } from "./start-test-console.ts";

const NOW = systemClock.now();
const PAGES = [
  ["/insights?last=24h", "volume-day"],
  ["/insights?last=30d&query=1", "volume-month"],
  ["/insights?query=1&query=2", "volume-chosen"],
  ["/insights/speakers", "speakers"],
  ["/insights/stories", "stories"],
  ["/insights/response?last=30d", "response"],
  ["/views?save=%2Finsights%3Flast%3D24h", "view"],
] as const;

describe.skipIf(!hasBrowser("the pages of insights"))("insights in a browser", () => {
  let web: TestConsole;
  let browser: Browser;
  beforeAll(async () => {
    web = await startTestConsole(NOW);
    await makeAStory(web.stores, NOW);
    await web.stores.mentionCounts.countStale();
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await web.close();
  });

  test("axe finds nothing, at three widths, light and dark, tables open", async () => {
    const faults = await faultsOfPages(browser, async (page, look) => {
      for (const [path, name] of PAGES) {
        await page.goto(`${web.url}${path}`);
        await look(name);
        await page.evaluate(`for (const one of document.querySelectorAll("main details")) one.open = true`);
        await look(`${name}-open`);
      }
    });
    expect(faults).toEqual([]);
  }, 120_000);

  test("a number changes while the page is open, once what came is counted", async () => {
    const page = await browser.newPage();
    await page.goto(`${web.url}/insights?last=24h&query=2`);
    await page.locator("#live").filter({ hasText: "Live" }).waitFor();
    const total = page.locator("#part-charts .lead strong").first();
    const before = Number((await total.textContent())?.replace(/\D/g, ""));
    const mention = aMention({ queryId: "2", resourceId: "now", addedAt: NOW, publishedAt: NOW - MINUTE });
    await storeMentions(web.stores, [mention], NOW);
    await web.stores.mentionCounts.countStale();
    await page.locator("#part-charts .lead strong", { hasText: `${before + 1} mentions` }).waitFor();
    await page.close();
  }, 30_000);

  test("the pointer shows the numbers of a column, a click leads to its mentions, dragging chooses a range", async () => {
    const page = await browser.newPage({ viewport: { width: 1000, height: 900 } });
    const errors: string[] = [];
    page.on("pageerror", (error) => errors.push(String(error)));
    page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
    await page.goto(`${web.url}/insights?last=24h&live=off`);
    const columns = page.locator("#volume g[data-from]");
    expect(await columns.count()).toBe(24);
    const middleOf = async (n: number) => {
      const box = await columns.nth(n).boundingBox();
      if (box === null) throw new Error("the column is not drawn");
      return {
        x: box.x + box.width / 2,
        y: box.y + box.height - 3,
        to: await columns.nth(n).getAttribute("data-to"),
      };
    };
    const [left, right] = [await middleOf(5), await middleOf(9)];
    await page.mouse.move(left.x, left.y);
    expect(await page.textContent(".chart-tip")).toMatch(/^\w{3} \d+ \w+, \d\d:00: \d+ mentions/);
    await page.mouse.down();
    await page.mouse.move((left.x + right.x) / 2, left.y - 20, { steps: 5 });
    await page.mouse.move(right.x, right.y, { steps: 5 });
    expect(await page.locator("g.is-chosen").count()).toBe(5);
    await page.mouse.up();
    await page.waitForURL(/from=/);
    expect(new URL(page.url()).searchParams.get("last")).toBeNull();
    expect(new URL(page.url()).searchParams.get("to")).toBe(right.to);
    const chosen = await page.locator("#volume g[data-from]").count();
    expect(chosen).toBe(5);
    const place = await middleOf(2);
    await page.mouse.click(place.x, place.y);
    await page.waitForURL("**/mentions?**");
    expect(await page.locator(".mentions li").count()).toBeGreaterThan(0);
    expect(errors).toEqual([]);
    await page.close();
  }, 60_000);

  test("without scripts, and by keyboard, every number is in the tables", async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`${web.url}/insights?last=24h`);
    await page.focus("#volume-summary");
    await page.keyboard.press("Enter");
    expect(await page.locator("#volume-numbers tbody tr").count()).toBe(24);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/mentions?**");
    await context.close();
  }, 60_000);
});
