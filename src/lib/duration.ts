import { z } from "zod";
import { DAY, HOUR, MINUTE, SECOND } from "./instant.ts";

const UNITS: Record<string, number> = { ms: 1, s: SECOND, m: MINUTE, h: HOUR, d: DAY, w: 7 * DAY };

/** `90s`, `5m`, `1h30m`, `7d` → milliseconds, or undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  const compact = text.replaceAll(/\s+/g, "");
  if (!/^(\d+(\.\d+)?(ms|[smhdw]))+$/.test(compact)) return undefined;
  let total = 0;
  for (const [, amount, unit] of compact.matchAll(/(\d+(?:\.\d+)?)(ms|[smhdw])/g)) {
    total += Number(amount) * (UNITS[unit ?? ""] ?? 0);
  }
  return total;
}

/** Milliseconds → the two largest units: `1h 30m`, `45s`, `3d`. */
export function formatDuration(ms: number): string {
  if (ms < SECOND) return `${Math.round(ms)}ms`;
  const parts: string[] = [];
  let rest = Math.round(ms / SECOND) * SECOND;
  for (const [unit, size] of [
    ["d", DAY],
    ["h", HOUR],
    ["m", MINUTE],
    ["s", SECOND],
  ] as const) {
    const count = Math.floor(rest / size);
    if (count > 0) parts.push(`${count}${unit}`);
    rest -= count * size;
  }
  return parts.slice(0, 2).join(" ");
}

const EXPECTED = 'expected a duration such as "5m", "1h30m" or "7d"';

/** A duration in a file that people write: text with a unit in, milliseconds out. */
export const Duration = z
  .string({
    error: ({ input }) =>
      typeof input === "number" ? `${EXPECTED}, got ${input}, which has no unit` : undefined,
  })
  .transform((text, context) => {
    const ms = parseDuration(text);
    if (ms === undefined) {
      context.addIssue({ code: "custom", message: `${EXPECTED}, got "${text.slice(0, 60)}"` });
      return z.NEVER;
    }
    return ms;
  })
  .meta({ pattern: "^\\s*(\\d+(\\.\\d+)?\\s*(ms|[smhdw])\\s*)+$", patternErrorMessage: EXPECTED });

/** The same within bounds, both included. */
export function durationBetween(leastMs: number, mostMs: number) {
  const bounds = `${leastMs > 0 ? `${formatDuration(leastMs)} to` : "at most"} ${formatDuration(mostMs)}`;
  return Duration.refine((ms) => ms >= leastMs && ms <= mostMs, { error: `expected ${bounds}` }).meta({
    bounds: leastMs > 0 ? `From ${bounds}` : `At most ${formatDuration(mostMs)}`,
  });
}

/** A length of time in a sentence: `30 min`, `1 h`, `1 h 30 min`, `3 days`. Whole minutes. */
export function formatMinutes(ms: number): string {
  const minutes = Math.round(ms / MINUTE);
  const hours = Math.floor(minutes / 60);
  const rest = minutes % 60;
  if (hours >= 48 && ms % HOUR === 0 && hours % 24 === 0) return `${hours / 24} days`;
  if (hours === 0) return `${rest} min`;
  return rest === 0 ? `${hours} h` : `${hours} h ${rest} min`;
}
