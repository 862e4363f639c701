import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import { oneBySeed } from "../one-by-seed.ts";

/** Where somebody wants to look at them: a folder for pictures. */
const PICTURES = process.env["EARSHOT_PICTURES"];

const WIDE = 1280;
const SCHEMES = ["light", "dark"] as const;
const LOOKS = [WIDE, 768, 390].flatMap((width) => SCHEMES.map((colorScheme) => ({ width, colorScheme })));

/** What axe finds wrong with the page as it is, and whether something sticks out of it. */
async function faultsOf(page: Page, scheme: (typeof SCHEMES)[number]): Promise<readonly string[]> {
  // In the dark other colours are the only difference.
  const rules = scheme === "light" ? "" : ', runOnly: ["color-contrast"]';
  const found = (await page.evaluate(
    `axe.run(document, { resultTypes: ["violations"]${rules} }).then(({ violations }) =>
      violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html.slice(0, 160)).join(" | ")))`,
  )) as string[];
  const isWide = await page.evaluate("document.documentElement.scrollWidth > innerWidth");
  return isWide === true ? [...found, "it scrolls sideways"] : found;
}

/**
 * What axe finds on pages, at three widths, light and dark (in CI each page has one of these looks for a commit). `visit` goes from page to page, and has each one looked at:
 * it is loaded once, and stays as it is while its window changes.
 */
export async function faultsOfPages(
  browser: Browser,
  visit: (page: Page, look: (name: string) => Promise<void>) => Promise<void>,
): Promise<readonly string[]> {
  const faults: string[] = [];
  // Colours are those at rest: what is replaced fades in.
  const context = await browser.newContext({ reducedMotion: "reduce", bypassCSP: true });
  const page = await context.newPage();
  let seen = 0;
  const wide = { width: WIDE, height: 900 };
  await page.setViewportSize(wide);
  await visit(page, async (name) => {
    await page.evaluate(axe.source);
    seen += 1;
    for (const { width, colorScheme } of oneBySeed(LOOKS, seen)) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      const path = `${PICTURES}/${name}-${width}-${colorScheme}.png`;
      if (PICTURES !== undefined) await page.screenshot({ path, fullPage: true });
      const found = await faultsOf(page, colorScheme);
      faults.push(...found.map((fault) => `${name} at ${width}, ${colorScheme}: ${fault}`));
    }
    await page.emulateMedia({ colorScheme: "light" });
    await page.setViewportSize(wide);
  });
  await context.close();
  return faults;
}
