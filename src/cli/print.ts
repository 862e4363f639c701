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

/** Many lines at once. Resolves when standard output has room for more. */
export async function printLines(lines: readonly string[]): Promise<void> {
  if (lines.length > 0 && !process.stdout.write(`${showActing(lines.join("\n"))}\n`))
    await once(process.stdout, "drain");
}

/** Line breaks and tabs stay: what is printed has lines. */
export function showActing(text: string): string {
  return escapeActing(text).replaceAll(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
    /[\u0000-\u0008\u000b-\u001f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
