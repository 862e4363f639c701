import axe from "axe-core";
import type { Browser, Page } from "playwright-core";

/** Where somebody wants to look at them: a folder for pictures. */
const PICTURES = process.env["EARSHOT_PICTURES"];

/** What axe finds wrong with the page as it is, and whether something sticks out of it. */
async function faultsOf(page: Page, name: string): Promise<readonly string[]> {
  if (PICTURES !== undefined) await page.screenshot({ path: `${PICTURES}/${name}.png`, fullPage: true });
  await page.evaluate(axe.source);
  const found = (await page.evaluate(
    `axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) =>
      violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html.slice(0, 160)).join(" | ")))`,
  )) as string[];
  const isWide = await page.evaluate("document.documentElement.scrollWidth > innerWidth");
  return [...found, ...(isWide === true ? ["it scrolls sideways"] : [])].map((fault) => `${name}: ${fault}`);
}

/** What axe finds on pages of this width, light and dark. `visit` goes from page to page, and has each one looked at. */
export async function faultsAtWidth(
  browser: Browser,
  width: number,
  visit: (page: Page, look: (name: string) => Promise<void>) => Promise<void>,
): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const colorScheme of ["light", "dark"] as const) {
    const context = await browser.newContext({
      // Colours are those at rest: what is replaced fades in.
      ...{ viewport: { width, height: 900 }, colorScheme, reducedMotion: "reduce" },
      bypassCSP: true,
    });
    const page = await context.newPage();
    await visit(page, async (name) => {
      faults.push(...(await faultsOf(page, `${name}-${width}-${colorScheme}`)));
    });
    await context.close();
  }
  return faults;
}
