import { spawn } from "node:child_process";
import { type Bundle, bundleEntries } from "../bundle.ts";

export interface CommandResult {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

const MAIN = "src/cli/main.ts";

export const bundleEarshot = (): Promise<Bundle> => bundleEntries([MAIN]);

/** The file of the command `earshot`, for tests that start it themselves. */
export const mainOf = (bundle: Bundle): string => bundle.file(MAIN);

/** Runs the command as its own process until it ends. Of our environment it gets only PATH. */
export function runEarshot(
  bundle: Bundle,
  words: readonly string[],
  options: { cwd: string; env?: Readonly<Record<string, string>> },
): Promise<CommandResult> {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [mainOf(bundle), ...words], {
    cwd: options.cwd,
    env: { PATH, HOME, ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const texts = { out: "", err: "" };
  child.stdout.on("data", (text: Buffer) => {
    texts.out += text;
  });
  child.stderr.on("data", (text: Buffer) => {
    texts.err += text;
  });
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, ...texts })));
}
