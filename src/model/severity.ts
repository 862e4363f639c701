import { z } from "zod";

/** How much an alert asks of its reader, in rising order: read it today, look now, get up. */
const SEVERITIES = ["info", "warning", "critical"] as const;
export const Severity = z.enum(SEVERITIES);
export type Severity = z.infer<typeof Severity>;

/** The next that is graver; null where nothing is. */
export function nextSeverity(severity: Severity): Severity | null {
  return SEVERITIES[SEVERITIES.indexOf(severity) + 1] ?? null;
}

/** Negative when `a` is milder than `b`, positive when graver, 0 when equal. */
export function compareSeverity(a: Severity, b: Severity): number {
  return SEVERITIES.indexOf(a) - SEVERITIES.indexOf(b);
}
