import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import axe from "axe-core";
import type { Browser, Page } from "playwright-core";

/** Where pictures of the pages go: `npm run pictures` says so, and nothing else. */
const PICTURES = process.env["EARSHOT_PICTURES"];
/** What the pictures show: a desk by day, and a phone at night. */
const PICTURED: ReadonlySet<string> = new Set(["1280 light", "390 dark"]);
/** Small enough to keep with the code, and large enough to read. */
const QUALITY = 35;

export const WIDTHS = [1280, 768, 390] as const;
const SCHEMES = ["light", "dark"] as const;

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

async function takePicture(page: Page, name: string): Promise<void> {
  if (PICTURES === undefined) return;
  const { width = 0 } = page.viewportSize() ?? {};
  const session = await page.context().newCDPSession(page);
  // Playwright has no WebP, which is a tenth of the size.
  const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: QUALITY });
  await mkdir(PICTURES, { recursive: true });
  await writeFile(join(PICTURES, `${name}-${width}.webp`), Buffer.from(data, "base64"));
  await session.detach();
}

/**
 * What axe finds on pages, at three widths, light and dark. `visit` goes from page to page, and has each one looked at:
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
  const wide = { width: WIDTHS[0], height: 900 };
  await page.setViewportSize(wide);
  await visit(page, async (name) => {
    await page.evaluate(axe.source);
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      for (const colorScheme of SCHEMES) {
        await page.emulateMedia({ colorScheme });
        if (PICTURED.has(`${width} ${colorScheme}`)) await takePicture(page, name);
        const found = await faultsOf(page, colorScheme);
        faults.push(...found.map((fault) => `${name} at ${width}, ${colorScheme}: ${fault}`));
      }
    }
    await page.emulateMedia({ colorScheme: "light" });
    await page.setViewportSize(wide);
  });
  await context.close();
  return faults;
}
