import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MINUTE } from "../../src/lib/instant.ts";
import { aMention } from "../mention.ts";
import { anAlert, makeAStory, storeMentions } from "./make-a-story.ts";
import { hasBrowser, openBrowser } from "./open-browser.ts";
import { startTestConsole, type TestConsole } from "./start-test-console.ts";

const NOW = Date.parse("2026-03-03T14:05:00Z");

describe.skipIf(!hasBrowser("the console"))("in a browser", () => {
  let web: TestConsole;
  let browser: Browser;
  let alertId: string;

  beforeAll(async () => {
    web = await startTestConsole(NOW);
    alertId = (await makeAStory(web.stores, NOW)).crisis.id;
    web.inbox.push({
      kind: "email",
      id: "mail",
      receivedAt: NOW,
      from: "earshot@example.com",
      to: ["press@example.com"],
      subject: "A subject",
      messageId: null,
      headers: [],
      text: "plain",
      html: "<!doctype html><html><head><style>p { color: rgb(1, 2, 3) }</style></head><body><p>Hello reader</p></body></html>",
    });
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await web.close();
  });

  /** A page that records the messages of the browser's console, such as policy violations. */
  async function openPage(
    path: string,
    options: BrowserContextOptions = {},
  ): Promise<{ page: Page; faults: string[] }> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
    const page = await context.newPage();
    const faults: string[] = [];
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") faults.push(message.text());
    });
    page.on("pageerror", (error) => faults.push(error.message));
    await page.goto(path.startsWith("/") ? `${web.url}${path}` : path);
    return { page, faults };
  }

  /** The events that a page gets when its reader switches to another tab and back. */
  async function switchTab(page: Page, visible: boolean): Promise<void> {
    await page.evaluate(`
      Object.defineProperty(document, "hidden", { configurable: true, value: ${!visible} });
      document.dispatchEvent(new Event("visibilitychange"));
    `);
  }

  const paths = () => ["/", "/alerts", `/alerts/${alertId}`, "/mentions", "/inbox", "/health"];

  test("no page violates its own policy, logs an error, or runs what a stranger wrote", async () => {
    const { page, faults } = await openPage("/");
    for (const path of paths()) {
      await page.goto(`${web.url}${path}`);
      await page.locator("#live").filter({ hasText: "Live" }).waitFor();
      expect([path, faults]).toEqual([path, []]);
      expect(await page.title()).toContain("· Earshot");
    }
    await page.context().close();
  });

  test("an alert shows its buttons and what happened above its mentions on a phone, and next to them on a wide screen", async () => {
    const top = async (page: Page, selector: string) =>
      (await page.locator(selector).boundingBox()) ?? { x: 0, y: 0 };
    const { page } = await openPage(`/alerts/${alertId}`, { viewport: { width: 390, height: 844 } });
    const [buttons, happened, mentions] = [
      await top(page, "form button >> nth=0"),
      await top(page, "#h-line"),
      await top(page, "#h-mentions"),
    ];
    expect(buttons.y).toBeLessThan(happened.y);
    expect(happened.y).toBeLessThan(mentions.y);
    await page.setViewportSize({ width: 1280, height: 900 });
    expect((await top(page, "#h-line")).x).toBeGreaterThan((await top(page, "#h-mentions")).x + 400);
    expect((await top(page, "#h-line")).y).toBe((await top(page, "#h-about")).y);
    await page.context().close();
  });

  test("a phone shows every column of Silences, and the header leaves the page its room", async () => {
    const { page } = await openPage("/silences", { viewport: { width: 390, height: 844 }, isMobile: true });
    const cut = await page.evaluate(`
      [...document.querySelectorAll("main th, main td")].filter((cell) => {
        const { left, right, width } = cell.getBoundingClientRect();
        return width > 0 && (left < 0 || right > innerWidth || cell.scrollWidth > cell.clientWidth + 1);
      }).map((cell) => cell.textContent)
    `);
    expect(cut).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    // The names of the pages are one row that the finger moves, and no word of it is broken.
    const names = await page
      .locator(".top nav a")
      .evaluateAll((links) =>
        links.map(
          (link) =>
            (link as unknown as { getBoundingClientRect(): { height: number } }).getBoundingClientRect()
              .height,
        ),
      );
    expect(Math.max(...names)).toBeLessThan(45);
    expect((await page.locator("main").boundingBox())?.y).toBeLessThan(140);
    await page.context().close();
  });

  test("mentions and alerts appear while the page is open", async () => {
    const { page, faults } = await openPage("/");
    await page.locator("#live").filter({ hasText: "Live" }).waitFor();
    await page.evaluate(`document.documentElement.dataset.marked = "yes"`);
    const text = `<b>fresh</b> from the wire`;
    await storeMentions(
      web.stores,
      [aMention({ resourceId: "fresh", addedAt: NOW + MINUTE, text, sentiment: "positive" })],
      NOW,
    );
    await page.locator("#part-mentions li").first().filter({ hasText: text }).waitFor();
    const alert = anAlert({ openedAt: NOW, rule: "keyword-list", because: "a watched word was said" });
    await web.stores.alerts.save([alert]);
    await page.locator("#part-alerts").getByText("a watched word was said").waitFor();
    await page.locator(".top .count").filter({ hasText: "3" }).waitFor();
    expect(await page.locator("html").getAttribute("data-marked")).toBe("yes");
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test("a part that was refused because too many read is asked for again", async () => {
    const { page } = await openPage("/");
    await page.locator("#live").filter({ hasText: "Live" }).waitFor();
    let refused = 0;
    await page.route(/part=mentions/, (route) =>
      refused++ === 0 ? route.fulfill({ status: 503, body: "busy" }) : route.continue(),
    );
    const text = "news in a busy hour";
    await storeMentions(
      web.stores,
      [aMention({ resourceId: "busy", addedAt: NOW + 2 * MINUTE, text, sentiment: "positive" })],
      NOW,
    );
    await page.locator("#part-mentions li").first().filter({ hasText: text }).waitFor();
    expect(refused).toBeGreaterThan(1);
    await page.context().close();
  });

  test("what a reader unfolded, and where the focus was, survives an update", async () => {
    const { page } = await openPage("/");
    await page.locator("#live").filter({ hasText: "Live" }).waitFor();
    const link = page.locator("#part-mentions a.outside").first();
    const id = await link.getAttribute("id");
    await link.focus();
    await page
      .locator("#part-volume details")
      .first()
      .evaluate((one) => one.setAttribute("open", ""));
    const total = page.locator("#part-volume .volume-head strong").first();
    const before = await total.textContent();
    await storeMentions(
      web.stores,
      Array.from({ length: 3 }, (_, i) =>
        aMention({
          resourceId: `later-${i}`,
          addedAt: NOW + MINUTE + 1,
          publishedAt: NOW,
          text: `later ${i}`,
        }),
      ),
      NOW,
    );
    await page.locator("#part-mentions").getByText("later 2").waitFor();
    expect(await page.evaluate("document.activeElement.id")).toBe(id);
    await expect.poll(() => total.textContent(), { timeout: 15_000 }).not.toBe(before);
    expect(await page.locator("#part-volume details").first().getAttribute("open")).not.toBeNull();
    await page.context().close();
  });

  test("nothing moves under a finger, nor for who reads further down", async () => {
    const { page } = await openPage("/mentions");
    await page.locator("#live").filter({ hasText: "Live" }).waitFor();
    const arrive = (n: number) =>
      storeMentions(
        web.stores,
        [aMention({ ...{ resourceId: `finger-${n}`, addedAt: NOW + 3 * MINUTE + n, text: `finger ${n}` } })],
        NOW,
      );
    const topOf = async (id: string) => (await page.locator(`#${id}`).boundingBox())?.y;
    // Whoever presses a link gets that link, whatever comes while the finger is down.
    const link = page.locator("#part-work-list a.outside").nth(2);
    const id = (await link.getAttribute("id")) ?? "";
    await link.hover();
    const before = await topOf(id);
    await page.mouse.down();
    const asked = page.waitForResponse(/part=work-list/);
    await arrive(1);
    await asked;
    await page.waitForTimeout(100);
    expect(await topOf(id)).toBe(before);
    // Without a click on it.
    await page.mouse.move(5, 5);
    await page.mouse.up();
    await page.locator("#part-work-list").getByText("finger 1").waitFor();
    await page.evaluate("window.scrollTo(0, 1200)");
    const reading = (await page.evaluate(`
      [...document.querySelectorAll("#part-work-list [id]")].find((one) => one.getBoundingClientRect().top > 100).id
    `)) as string;
    const at = await topOf(reading);
    await arrive(2);
    await page.locator("#part-work-list").getByText("finger 2").waitFor();
    // A page scrolls by whole pixels.
    expect(Math.abs(((await topOf(reading)) ?? 0) - (at ?? 0))).toBeLessThan(1);
    await page.context().close();
  });

  test("a hidden page lets go of its stream, and catches up when it is shown again", async () => {
    const { page } = await openPage("about:blank");
    await page.clock.install();
    const opened: string[] = [];
    page.on("request", (request) => {
      if (request.url().includes("/live?")) opened.push(request.url());
    });
    const closed = page.waitForEvent("requestfailed", (request) => request.url().includes("/live?"));
    await page.goto(web.url);
    await page.locator("#live").filter({ hasText: "Live" }).waitFor();
    await switchTab(page, false);
    await page.clock.fastForward(6_000);
    await closed;
    const mention = aMention({ resourceId: "unseen", addedAt: NOW + 2 * MINUTE, text: "said meanwhile" });
    await storeMentions(web.stores, [mention], NOW);
    await switchTab(page, true);
    await page.locator("#part-mentions").getByText("said meanwhile").waitFor();
    expect(opened).toHaveLength(2);
    await page.context().close();
  });

  test("a phone shows every page without scrolling sideways", async () => {
    const { page } = await openPage("/", { viewport: { width: 390, height: 844 } });
    for (const path of paths()) {
      await page.goto(`${web.url}${path}`);
      const excess = await page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth",
      );
      expect([path, excess]).toEqual([path, 0]);
    }
    await page.context().close();
  });

  test("the keyboard reaches the content, and shows where it is", async () => {
    const { page } = await openPage("/");
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Skip to the content");
    await page.keyboard.press("Enter");
    expect(await page.evaluate("document.activeElement.id")).toBe("main");
    await page.keyboard.press("Tab");
    const outline = await page.evaluate(
      "[document.activeElement.tagName, getComputedStyle(document.activeElement).outlineStyle]",
    );
    expect(outline).toEqual(["A", "solid"]);
    await page.context().close();
  });

  test("every page can be read without scripts", async () => {
    const { page } = await openPage("/", { javaScriptEnabled: false });
    expect(await page.locator("#part-mentions li").count()).toBe(30);
    expect(await page.locator("noscript a").textContent()).toBe("Reload");
    await page.goto(`${web.url}/mentions`);
    await page.getByLabel("Words, or a query").fill("tarmac");
    await page.getByRole("button", { name: "Show" }).click();
    expect(page.url()).toContain("contains=tarmac");
    expect(await page.locator(".mention").first().textContent()).toContain("tarmac");
    await page.context().close();
  });

  test("an email is shown in its frame with its own styles", async () => {
    const { page, faults } = await openPage("/inbox");
    const text = page.frameLocator("iframe").getByText("Hello reader");
    expect(await text.evaluate((one) => one.ownerDocument.defaultView?.getComputedStyle(one).color)).toBe(
      "rgb(1, 2, 3)",
    );
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test("the clock of the monitored world goes on by itself, and no script fails over it", async () => {
    const { page, faults } = await openPage("/");
    await page.locator("#live").filter({ hasText: "Live" }).waitFor();
    web.clock.set(NOW + 2 * MINUTE);
    await storeMentions(web.stores, [aMention({ resourceId: "tick", addedAt: NOW + 2 * MINUTE })], NOW);
    await page.locator(".clock").filter({ hasText: "14:07" }).waitFor();
    expect(faults).toEqual([]);
    await page.context().close();
  });
});
