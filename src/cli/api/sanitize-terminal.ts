import { cleanLine } from "#monitor";
import { escapeActing } from "../../lib/text.ts";

/** Makes hostile text safe on one line: it cannot move the cursor, set colours or change the reading direction. */
export function sanitizeLine(text: string): string {
  return cleanLine(text);
}

/** JSON without characters that control a terminal. */
export function sanitizeJson(value: unknown, indent?: number): string {
  return escapeActing(JSON.stringify(value, null, indent) ?? "null");
}
