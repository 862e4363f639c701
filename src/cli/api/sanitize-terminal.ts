import { escapeActing } from "../../lib/escape-acting.ts";
import { cleanLine } from "../../templates/clean-text.ts";

/** Hostile text on one line of a terminal: nothing in it moves the cursor, colours, or turns the reading direction. */
export function sanitizeLine(text: string): string {
  return cleanLine(text);
}

/** JSON that a terminal shows and does not obey. */
export function sanitizeJson(value: unknown, indent?: number): string {
  return escapeActing(JSON.stringify(value, null, indent) ?? "null");
}
