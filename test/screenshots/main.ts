import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdir, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { findChromium } from "../../src/monitor/notify/previews/take-pictures.ts";
import { takePages } from "./pages.ts";

// Takes the pictures of a crisis in docs/crisis/, and of every page in docs/pages/: starts the demo, waits for its first critical incident, and looks at the
// console, the local Slack and the local mailbox as a reader does.

const OUT = "docs/crisis";
const DESK = { viewport: { width: 1120, height: 900 } };
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true };
/** So long after the first critical alert several alerts have joined, and the first mail was sent. */
const LATER_MS = 75_000;
const WAIT_MS = 8 * 60_000;

const executablePath = findChromium(process.env["PATH"] ?? "");
if (executablePath === null) throw new Error("no chromium or google-chrome is on the PATH");
const home = await mkdtemp(join(tmpdir(), "earshot-pictures-"));
const demo = spawn(process.execPath, [join(process.cwd(), "dist/src/cli/main.js"), "start", "--port", "0"], {
  cwd: home,
  stdio: ["ignore", "pipe", "inherit"],
});
const ended = new Promise((resolve) => demo.once("exit", resolve));
try {
  const address = await addressOf(demo);
  process.stdout.write(`The demo runs at ${address}; its crisis begins in about 90 s.\n`);
  const crisis = await crisisOf(address);
  await delay(LATER_MS);
  await mkdir(OUT, { recursive: true });
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
  const take = async (name: string, look: BrowserContextOptions, path: string, part: string | null) => {
    const context = await browser.newContext({ ...look, javaScriptEnabled: false, colorScheme: "light" });
    const page = await context.newPage();
    await page.goto(`${address}${path}`);
    const file = join(OUT, `${name}.png`);
    await pictureOf(page, part).screenshot({ path: file });
    await context.close();
    const { size } = await stat(shrink(file));
    process.stdout.write(`${file}: ${Math.round(size / 1024)} KB\n`);
  };
  await take("alert", DESK, `/alerts/${crisis}`, null);
  await take("alert-phone", PHONE, `/alerts/${crisis}`, null);
  await take("slack", DESK, await placeOf(address, "#crisis"), ".channel > li:has(.slack-header) > article");
  await take("mail-phone", PHONE, await mailOf(address, "on-call@brand.example"), null);
  await takePages(browser, { address, home, alert: crisis });
  await browser.close();
} finally {
  demo.kill("SIGTERM");
  await ended;
  await rm(home, { recursive: true, force: true });
}

function pictureOf(page: Page, part: string | null): Pick<Page, "screenshot"> {
  return part === null ? page : page.locator(part).first();
}

/** The address that the demo prints. */
async function addressOf({ stdout }: ChildProcess): Promise<string> {
  let printed = "";
  if (stdout === null) throw new Error("the demo prints nothing");
  for await (const text of stdout) {
    printed += String(text);
    const found = /Console:\s+(http:\S+)/.exec(printed)?.[1];
    if (found !== undefined) {
      stdout.resume();
      return found;
    }
  }
  throw new Error(`the demo did not start: ${printed}`);
}

/** The id of the alert that the first critical message is about. */
async function crisisOf(address: string): Promise<string> {
  for (const until = Date.now() + WAIT_MS; Date.now() < until; await delay(2_000)) {
    const page = await textOf(`${address}/`);
    const found = /<li class="alert is-critical">[\s\S]*?href="\/alerts\/([0-9a-f-]{36})"/.exec(page)?.[1];
    if (found !== undefined) return found;
  }
  throw new Error("no critical alert opened in the demo");
}

/** The page of the inbox with this channel or mailbox. */
async function placeOf(address: string, name: string): Promise<string> {
  const page = await textOf(`${address}/inbox`);
  const found = new RegExp(`href="(/inbox\\?place=[^"]+)"[^>]*><bdi>${name}</bdi>`).exec(page)?.[1];
  if (found === undefined) throw new Error(`nothing was sent to ${name}`);
  return found.replaceAll("&amp;", "&");
}

/** The HTML of the newest mail to this address. */
async function mailOf(address: string, name: string): Promise<string> {
  const page = await textOf(`${address}${await placeOf(address, name)}`);
  const found = /<iframe[^>]*\ssrc="([^"]+)"/.exec(page)?.[1];
  if (found === undefined) throw new Error(`the inbox shows no mail to ${name}`);
  return found.replaceAll("&amp;", "&");
}

async function textOf(address: string): Promise<string> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address}: ${response.status}`);
  return response.text();
}

/** By oxipng or pngquant, where one is installed. */
function shrink(file: string): string {
  spawnSync("pngquant", ["--force", "--ext", ".png", "--skip-if-larger", "256", file]);
  spawnSync("oxipng", ["--quiet", "--strip", "safe", "-o", "4", file]);
  return file;
}
