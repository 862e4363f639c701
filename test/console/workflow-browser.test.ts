import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addUser } from "../../src/console/auth/manage-users.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { MINUTE } from "../../src/lib/instant.ts";
import { faultsOfPages } from "./faults-of-page.ts";
import { anAlert, makeAStory } from "./make-a-story.ts";
import { hasBrowser, openBrowser } from "./open-browser.ts";
import { startTestConsole, type TestConsole } from "./start-test-console.ts";

const NOW = systemClock.now();
const PASSWORD = "four words in a row";
const ROWS = "#part-work-list li.mention";

describe.skipIf(!hasBrowser("the work on mentions"))("the work on mentions", () => {
  let web: TestConsole;
  let browser: Browser;

  beforeAll(async () => {
    web = await startTestConsole(NOW);
    await makeAStory(web.stores, NOW);
    const parts = { stores: web.stores, namesOfFile: [], now: NOW };
    await addUser(parts, { name: "ann", role: "responder", email: null, password: PASSWORD, by: "test" });
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await web.close();
  });

  async function logIn(page: Page): Promise<void> {
    await page.goto(`${web.url}/login`);
    await page.fill("#username", "ann");
    await page.fill("#password", PASSWORD);
    await page.click("button[type=submit]");
    await page.waitForURL(`${web.url}/`);
  }

  const foot = (page: Page, row: number) => page.locator(ROWS).nth(row).locator(".mention-foot");
  const said = async (page: Page, words: string) => {
    await page.locator("#work-notice", { hasText: words }).waitFor();
  };

  test.each([1280, 390])(
    "by keyboard alone, at %i pixels: move, assign, done, choose many, undo, open, help",
    async (width) => {
      const context = await browser.newContext({ viewport: { width, height: 800 } });
      const page = await context.newPage();
      await logIn(page);
      // Each width has mentions that nobody has worked on.
      await page.goto(`${web.url}/mentions?query=${width === 1280 ? 2 : 3}`);
      const focused = () => page.evaluate("document.activeElement.id");
      const idOf = (row: number) => page.locator(ROWS).nth(row).getAttribute("id");
      const keys = async (...all: string[]) => {
        for (const one of all) await page.keyboard.press(one);
      };
      expect(await page.locator("#work").isVisible()).toBe(false);
      await keys("j", "j", "j", "k");
      expect(await focused()).toBe(await idOf(1));
      const outline = await page.evaluate("getComputedStyle(document.activeElement).outlineStyle");
      expect(outline).toBe("solid");
      await keys("a");
      await said(page, "The mention: assigned to ann.");
      await foot(page, 1).getByText("ann has it").waitFor();
      expect(await focused()).toBe(await idOf(1));
      await keys("e");
      await said(page, "The mention: done.");
      await foot(page, 1).getByText("done").waitFor();
      await keys("u");
      await said(page, "Undone. The mention: open.");
      await keys("j", "x", "j", "j", "X");
      expect(await page.locator("#chosen").textContent()).toBe("3 chosen");
      expect(await page.locator("#work").isVisible()).toBe(true);
      // A list that is replaced keeps what was chosen.
      await page.evaluate("htmx.trigger(document.getElementById('part-work-list'), 'sse:mentions')");
      await page.waitForLoadState("networkidle");
      expect(await page.locator("#chosen").textContent()).toBe("3 chosen");
      await page.locator("#work input[name=tag]").fill("aje");
      expect(await page.locator("#work input[name=tag]").inputValue()).toBe("aje");
      await keys("Enter");
      await said(page, "3 mentions: tagged aje.");
      await foot(page, 4).getByText("aje").waitFor();
      expect(await page.locator("#work").isVisible()).toBe(false);
      await page.locator("#undo").click();
      await said(page, "Undone.");
      await keys("?");
      expect(await page.locator("#keys").isVisible()).toBe(true);
      await page.locator("#keys-on").click();
      await keys("Escape");
      // The dialog gives the focus back, a moment after it is hidden.
      await page.locator("#keys").waitFor({ state: "hidden" });
      await page.waitForFunction("!document.getElementById('keys').contains(document.activeElement)");
      const at = await focused();
      await keys("j");
      expect(await focused()).toBe(at);
      await keys("?");
      await page.locator("#keys-on").click();
      await keys("Escape");
      await page.locator(ROWS).first().focus();
      await keys("Enter");
      await page.waitForURL("**/why?of=*");
      expect(await page.locator("h3", { hasText: "What we do about it" }).count()).toBe(1);
      await context.close();
    },
    120_000,
  );

  test.each([1280, 390])(
    "alerts by keyboard alone, at %i pixels: move, acknowledge, silence, open, help",
    async (width) => {
      const context = await browser.newContext({ viewport: { width, height: 800 } });
      const page = await context.newPage();
      const rows = page.locator("#part-work-list li.alert");
      await logIn(page);
      const fresh = [1, 2, 3].map((n) =>
        anAlert({
          openedAt: NOW - n - width * MINUTE,
          fingerprint: `keys ${width} ${n}`,
          queryName: `Keys ${n}`,
        }),
      );
      await web.stores.alerts.save(fresh);
      await page.goto(
        `${web.url}/alerts?state=all&after=${NOW - width * MINUTE}_ffffffff-ffff-ffff-ffff-ffffffffffff`,
      );
      const focused = () => page.evaluate("document.activeElement.id");
      const keys = async (...all: string[]) => {
        for (const one of all) await page.keyboard.press(one);
      };
      await keys("j", "j", "j", "k");
      expect(await focused()).toBe(`row-${fresh[1]?.id}-item`);
      await keys("a");
      await said(page, "1 alert acknowledged.");
      await rows.nth(1).getByText("acknowledged").waitFor();
      // The list was replaced, and the row has the focus as before.
      expect(await focused()).toBe(`row-${fresh[1]?.id}-item`);
      await keys("a");
      await said(page, "ann has acknowledged it");
      await keys("j", "x", "k", "k", "x", "s");
      await said(page, "2 alerts silenced for 4 hours.");
      expect(
        (await web.stores.alerts.events(fresh[2]?.projectId ?? "", fresh[2]?.id ?? "")).at(-1)?.what,
      ).toMatch(/^Silenced/);
      await keys("?");
      expect(await page.locator("#keys").innerText()).toContain("silence for 4 hours");
      await keys("Escape");
      await page.locator("#keys").waitFor({ state: "hidden" });
      await rows.first().focus();
      await keys("Enter");
      await page.waitForURL(`**/alerts/${fresh[0]?.id}`);
      await context.close();
    },
    120_000,
  );

  test("without scripts boxes and buttons do the same", async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await logIn(page);
    await page.goto(`${web.url}/mentions?query=3`);
    await page.locator(`${ROWS} input`).nth(0).check();
    await page.locator(`${ROWS} input`).nth(2).check();
    await page.locator("#work input[name=to]").fill("bob");
    await page.locator("#work").getByRole("button", { name: "Assign", exact: true }).click();
    await page.waitForURL("**/mentions?query=3&pressed=*");
    expect(await page.textContent("#work-notice")).toContain("2 mentions: assigned to bob.");
    await page.getByRole("button", { name: "Undo" }).click();
    expect(await page.textContent("#work-notice")).toContain(
      "Undone. 2 mentions: nobody has it, bob had it before.",
    );
    await context.close();
  }, 60_000);

  test("axe finds nothing, at three widths, light and dark", async () => {
    const faults = await faultsOfPages(browser, async (page, look) => {
      await logIn(page);
      await page.goto(`${web.url}/mentions?query=4`);
      await look("work-list");
      await page.goto(`${web.url}/alerts?state=open`);
      await page.locator("#part-work-list li.alert input").first().check();
      await look("alerts-chosen");
      await page.goto(`${web.url}/mentions?query=4`);
      await page.locator(`${ROWS} input`).nth(0).check();
      await page.locator(`${ROWS} input`).nth(1).check();
      await look("work-chosen");
      await page.locator("#work input[name=tag]").fill("vip, press office");
      await page.keyboard.press("Enter");
      await page.locator("#work-notice", { hasText: /vip|was so already/ }).waitFor();
      await page.locator(`${ROWS} input`).nth(0).check();
      await page.locator("#work button[value=assign-me]").click();
      await page.locator("#work-notice", { hasText: /assigned|was so already/ }).waitFor();
      await look("work-notice");
      await page.keyboard.press("?");
      await look("work-keys");
      await page.keyboard.press("Escape");
      await page.locator(`${ROWS} a[href^='/why']`).first().click();
      await page.waitForURL("**/why?of=*");
      await page.fill("textarea[name=text]", "Called them.\nThey call back at noon.");
      await page.getByRole("button", { name: "Write it" }).click();
      await page.locator(".timeline .written").first().waitFor();
      await look("work-mention");
    });
    expect(faults).toEqual([]);
  }, 120_000);
});
