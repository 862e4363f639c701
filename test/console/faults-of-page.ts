import axe from "axe-core";
import type { Page } from "playwright-core";

/** Where somebody wants to look at them: a folder for pictures. */
const PICTURES = process.env["EARSHOT_PICTURES"];

/** What axe finds wrong with the page as it is, and whether something sticks out of it. */
export async function faultsOf(page: Page, name: string): Promise<readonly string[]> {
  if (PICTURES !== undefined) await page.screenshot({ path: `${PICTURES}/${name}.png`, fullPage: true });
  await page.evaluate(axe.source);
  const found = (await page.evaluate(
    `axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) =>
      violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html.slice(0, 160)).join(" | ")))`,
  )) as string[];
  const isWide = await page.evaluate("document.documentElement.scrollWidth > innerWidth");
  return [...found, ...(isWide === true ? ["it scrolls sideways"] : [])].map((fault) => `${name}: ${fault}`);
}
