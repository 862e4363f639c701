import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import type { Browser } from "playwright-core";
import { describeError } from "../../../lib/errors.ts";

/** The first Chromium on this machine, or null. `path` is the environment's PATH. */
export function findChromium(path: string): string | null {
  const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
  const folders = [...path.split(delimiter), "/Applications/Google Chrome.app/Contents/MacOS"];
  const candidates = [...names, "Google Chrome"].flatMap((name) =>
    folders.filter((folder) => folder !== "").map((folder) => join(folder, name)),
  );
  return candidates.find(isExecutable) ?? null;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** How a browser shows an email: the width of the window and the reader's colour scheme. */
const LOOKS = [
  { name: "light", width: 680, scheme: "light" },
  { name: "dark", width: 680, scheme: "dark" },
  { name: "phone", width: 390, scheme: "light" },
] as const;
type LookName = (typeof LOOKS)[number]["name"];

export interface Picture {
  readonly look: LookName;
  readonly png: Uint8Array;
}

type Pictures =
  /** `hasEmoji`: whether this machine has a font for them; otherwise the pictures have empty boxes there. */
  | { readonly outcome: "Taken"; readonly pictures: readonly Picture[]; readonly hasEmoji: boolean }
  /** There is no browser here; everything else works without one. */
  | { readonly outcome: "NoBrowser"; readonly reason: string };

/**
 * Takes full-page pictures of HTML, one for each look. Nothing in it runs and nothing is fetched: the browser is
 * offline and has no scripts.
 */
export async function takePictures(
  html: string,
  options: { readonly executable: string | null },
): Promise<Pictures> {
  if (options.executable === null) {
    return { outcome: "NoBrowser", reason: "no chromium or google-chrome is installed" };
  }
  const browser = await open(options.executable);
  if (typeof browser === "string") return { outcome: "NoBrowser", reason: browser };
  try {
    const pictures: Picture[] = [];
    for (const look of LOOKS) pictures.push({ look: look.name, png: await take(browser, html, look) });
    return { outcome: "Taken", pictures, hasEmoji: await drawsEmoji(browser) };
  } finally {
    await browser.close();
  }
}

async function take(browser: Browser, html: string, look: (typeof LOOKS)[number]): Promise<Uint8Array> {
  const context = await browser.newContext({
    viewport: { width: look.width, height: 400 },
    deviceScaleFactor: 2,
    colorScheme: look.scheme,
    javaScriptEnabled: false,
    offline: true,
  });
  try {
    const page = await context.newPage();
    await page.setContent(html, { waitUntil: "load" });
    return await page.screenshot({ fullPage: true });
  } finally {
    await context.close();
  }
}

/** Only a font of emoji draws one in colour; an empty box is black. */
async function drawsEmoji(browser: Browser): Promise<boolean> {
  const page = await browser.newPage();
  try {
    const isColored: unknown = await page.evaluate(EMOJI_IS_COLORED);
    return isColored === true;
  } finally {
    await page.close();
  }
}

const EMOJI_IS_COLORED = `(() => {
  const context = document.createElement("canvas").getContext("2d");
  context.font = "32px sans-serif";
  context.fillText("\u{1F534}", 0, 40);
  const { data } = context.getImageData(0, 0, 60, 60);
  return data.some((value, index) => index % 4 === 0 && value !== data[index + 1]);
})()`;

/** The package that controls the browser is a development dependency; without it there are no pictures. */
async function open(executablePath: string): Promise<Browser | string> {
  const library = await import("playwright-core").catch(() => null);
  if (library === null) return "the package playwright-core is not installed (npm install playwright-core)";
  try {
    return await library.chromium.launch({ executablePath, args: ARGUMENTS });
  } catch (error) {
    return `${executablePath} does not start: ${describeError(error).split("\n")[0] ?? ""}`;
  }
}

/** Containers and root have no sandbox; that is safe here, because no scripts run. */
const ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
];
