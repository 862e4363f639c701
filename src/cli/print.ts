import { once } from "node:events";
import { escapeActing } from "../lib/escape-acting.ts";

/**
 * The only way to the terminal for what commands say: names and texts of strangers are in it. What would move the
 * cursor, colour, or turn the reading direction is shown as an escape, which leaves JSON the same JSON.
 */
export function print(text: string): void {
  console.log(showActing(text));
}

/** The same on standard error. */
export function printError(text: string): void {
  console.error(showActing(text));
}

export function printJson(value: unknown, indent?: number): void {
  print(JSON.stringify(value, null, indent) ?? "null");
}

/** Many lines at once. Resolves when standard output has room for more; throws NobodyReadsError after `| head`. */
export async function printLines(lines: readonly string[]): Promise<void> {
  const { stdout } = process;
  if (lines.length === 0) return;
  if (stdout.errored !== null) throw new NobodyReadsError();
  if (stdout.write(`${showActing(lines.join("\n"))}\n`)) return;
  await once(stdout, "drain").catch((error: unknown) => {
    throw isReaderGone(error) ? new NobodyReadsError() : error;
  });
}

/** The reader of standard output has enough: no failure, and an end of the work. */
export class NobodyReadsError extends Error {
  override readonly name = "NobodyReadsError";
}

/** A reader who closes the pipe ends no command with a stack trace; what is still written goes nowhere. */
export function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on("error", (error: unknown) => {
      if (!isReaderGone(error)) throw error;
    });
}

function isReaderGone(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EPIPE";
}

/** Line breaks and tabs stay: what is printed has lines. */
export function showActing(text: string): string {
  return escapeActing(text).replaceAll(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
    /[\u0000-\u0008\u000b-\u001f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
