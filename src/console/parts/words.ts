import { withoutHalfWord } from "../../lib/text.ts";
import { type Html, html } from "../common/html.ts";

const MEASURED = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 2 });
const COMPACT = new Intl.NumberFormat("en-GB", { notation: "compact", maximumFractionDigits: 1 });

/**
 * `40.9`, `1,233`; small numbers with their first digits (`0.0012`), tiny ones as a power: `4e-7`. Below one in a
 * billion it claims nothing: the model of counts was never tested there.
 */
export function formatMeasured(n: number): string {
  const size = Math.abs(n);
  if (n > 0 && n < 1e-9) return "below 1 in a billion";
  if (size === 0 || size >= 0.01) return MEASURED.format(n);
  return size >= 0.0001 ? String(Number(n.toPrecision(2))) : n.toExponential(0);
}

/** `12.3K`. */
export function formatCompact(n: number): string {
  return COMPACT.format(n);
}

/** `1 follower`, `204 followers`. */
export function followed(followers: number): string {
  return followers === 1 ? "1 follower" : `${formatCompact(followers)} followers`;
}

/** Foreign text inside our line, isolated so that it keeps its own writing direction. */
export function foreign(text: string): Html {
  return html`<bdi>${text}</bdi>`;
}

/** Cuts a text to this many characters, never inside a character, and between words where it can. */
export function shorten(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const characters = [...text.slice(0, limit * 2)];
  if (characters.length <= limit && text.length <= limit * 2) return text;
  const head = characters.slice(0, limit - 1).join("");
  return `${withoutHalfWord(head, text.slice(head.length, head.length + 1))}…`;
}
