import { type Browser, chromium } from "playwright-core";
import { findChromium } from "../../src/monitor/notify/previews/take-pictures.ts";

const executable = findChromium(process.env["PATH"] ?? "");

/** Whether this machine has a browser; if not, says what is not tried. */
export function hasBrowser(what: string): boolean {
  if (executable === null)
    process.stderr.write(`${what}: not tried, as no chromium or google-chrome is on the PATH\n`);
  return executable !== null;
}

/** The browser of this machine, which speaks to nobody but our own pages. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: executable ?? "",
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--no-first-run",
    ],
  });
}
