import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { toComms } from "../lab/backtest/notify-config.ts";
import { ATTACKS } from "./make-a-story.ts";
import { hasBrowser, openBrowser } from "./open-browser.ts";
import { SPIKE_RULE, storeWeeks } from "./rule-stories.ts";
import { startTestConsole, type TestConsole } from "./start-test-console.ts";

const NOW = Date.parse("2026-03-03T14:05:00Z");

describe.skipIf(!hasBrowser("the editor of rules"))("the editor of rules in a browser", () => {
  let web: TestConsole;
  let browser: Browser;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "earshot-test-rules-"));
    await writeFile(join(folder, "complaints.yaml"), SPIKE_RULE);
    const hostile = SPIKE_RULE.replace(
      /^description: .*$/m,
      `description: ${JSON.stringify(ATTACKS.join(" "))}`,
    );
    await writeFile(
      join(folder, "hostile.yaml"),
      hostile.replace(/^title: .*$/m, `title: ${JSON.stringify(ATTACKS[1])}`),
    );
    web = await startTestConsole(NOW, { folder, notifyConfig: toComms() });
    await storeWeeks(web.stores, NOW);
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await web.close();
    await rm(folder, { recursive: true });
  });

  async function open(path: string, width = 1280): Promise<{ page: Page; faults: string[] }> {
    const context = await browser.newContext({ viewport: { width, height: 900 } });
    const page = await context.newPage();
    const faults: string[] = [];
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") faults.push(message.text());
    });
    page.on("pageerror", (error) => faults.push(error.message));
    await page.goto(`${web.url}${path}`);
    return { page, faults };
  }
  const status = (page: Page, text: string) =>
    page.locator("#try-status").filter({ hasText: text }).waitFor();

  test.each([
    "/rules",
    "/rules/complaints",
    "/rules/hostile",
    "/rules/hostile/try",
    "/rules/try",
    "/rules/try?kind=new",
  ])(
    "%s breaks no policy, runs no foreign text, and does not scroll sideways on a small phone",
    async (path) => {
      const { page, faults } = await open(path, 360);
      if (path.includes("try")) await status(page, "Would have sent");
      const excess = await page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth",
      );
      expect([excess, faults, (await page.title()).includes("Earshot")]).toEqual([0, [], true]);
      await page.context().close();
    },
  );

  test("a change in the form is tried by itself, and only fields that fit the kind of rule are shown", async () => {
    const { page } = await open("/rules/complaints/try");
    await status(page, "Would have sent 3 alerts in 14 days");
    await page.getByLabel("At least", { exact: true }).fill("900");
    await status(page, "Would have sent 0 alerts in 14 days");
    expect(await page.getByLabel("And above the usual share by").isVisible()).toBe(false);
    await page.getByLabel("Alert on").selectOption("share");
    expect(await page.getByLabel("And above the usual share by").isVisible()).toBe(true);
    await status(page, "fault");
    await page.context().close();
  });

  test("keys and values are suggested and taken by keyboard, and a fault leads to its line", async () => {
    const { page, faults } = await open("/rules/complaints/try");
    await page.getByRole("button", { name: "Write it as YAML" }).click();
    await status(page, "Would have sent");
    const text = page.locator("#text");
    await text.focus();
    await page.keyboard.press("Control+End");
    await page.keyboard.type("  cou");
    await page.getByRole("option", { name: /^count/ }).waitFor();
    await page.keyboard.press("ArrowDown");
    expect(await text.getAttribute("aria-activedescendant")).toBe("suggestion-0");
    await page.keyboard.press("Enter");
    // The values of a choice are offered at once.
    await page.getByRole("option", { name: "authors" }).waitFor();
    await page.keyboard.press("Escape");
    expect(await page.locator("#suggestions").isVisible()).toBe(false);
    await page.keyboard.type("authros\n");
    await page.locator(".gutter .is-faulty").filter({ hasText: /^11$/ }).waitFor();
    expect(await text.getAttribute("aria-invalid")).toBe("true");
    await page.keyboard.press("Control+Home");
    await page.locator("#result a[data-line]").first().press("Enter");
    const line = await page.evaluate(
      "document.activeElement.value.slice(0, document.activeElement.selectionStart).split('\\n').length",
    );
    expect(line).toBe(11);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test("without scripts a rule is tried by its button", async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`${web.url}/rules/complaints/try`);
    await page.getByRole("button", { name: "Try" }).click();
    expect(await page.locator("#try-status").textContent()).toContain("Would have sent 3 alerts");
    expect(await page.locator("#result svg").count()).toBe(2);
    await context.close();
  });
});
