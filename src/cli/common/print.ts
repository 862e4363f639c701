import { once } from "node:events";
import type { Writable } from "node:stream";
import { codeOf } from "../../lib/errors.ts";
import { escapeActing } from "../../lib/text.ts";

/**
 * All commands print through here, because their output holds names and texts of strangers. It escapes characters that
 * move the cursor, set colours or change the reading direction; JSON stays the same JSON.
 */
export function print(text: string): void {
  console.log(showActing(text));
}

/** The same on standard error. */
export function printError(text: string): void {
  console.error(showActing(text));
}

export function printJson(value: unknown, indent?: number): void {
  print(showJson(value, indent));
}

/** JSON without characters that act on a terminal. */
export function showJson(value: unknown, indent?: number): string {
  return showActing(JSON.stringify(value, null, indent) ?? "null");
}

/** Prints many lines, as `writeText` does. */
export async function printLines(lines: readonly string[]): Promise<void> {
  if (lines.length > 0) await writeText(process.stdout, `${showActing(lines.join("\n"))}\n`);
}

/** Resolves when the output has room for more; throws NobodyReadsError after `| head`. */
export async function writeText(output: Writable, text: string): Promise<void> {
  if (output.errored !== null) throw new NobodyReadsError();
  if (output.write(text)) return;
  await once(output, "drain").catch((error: unknown) => {
    throw isReaderGone(error) ? new NobodyReadsError() : error;
  });
}

/** The reader of standard output closed the pipe: no failure, but the work ends. */
export class NobodyReadsError extends Error {
  override readonly name = "NobodyReadsError";
}

/** A reader that closes the pipe causes no stack trace; further output is dropped. */
export function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on("error", (error: unknown) => {
      if (!isReaderGone(error)) throw error;
    });
}

function isReaderGone(error: unknown): boolean {
  return codeOf(error) === "EPIPE";
}

/** Keeps line breaks and tabs, of all control characters. */
export function showActing(text: string): string {
  return escapeActing(text).replaceAll(
    /[^\P{Cc}\t\n]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
