import { z } from "zod";
import { didYouMean } from "../../lib/errors.ts";

/** How urgent an alert is, in rising order: read it today, look now, get up. */
const SEVERITIES = ["info", "warning", "critical"] as const;
export const Severity = z.enum(SEVERITIES, {
  error: ({ input }) => {
    const meant = typeof input === "string" ? SYNONYMS[input.toLowerCase()] : undefined;
    return meant === undefined
      ? undefined
      : `expected one of ${SEVERITIES.join(", ")}, got "${String(input)}"${didYouMean(meant)}`;
  },
});

/** The names in other tools. */
const SYNONYMS: Readonly<Record<string, (typeof SEVERITIES)[number]>> = {
  low: "info",
  minor: "info",
  notice: "info",
  information: "info",
  medium: "warning",
  warn: "warning",
  major: "warning",
  moderate: "warning",
  high: "critical",
  error: "critical",
  crit: "critical",
  fatal: "critical",
  severe: "critical",
  emergency: "critical",
};
export type Severity = z.infer<typeof Severity>;

/** The next higher severity; null if there is none. */
export function nextSeverity(severity: Severity): Severity | null {
  return SEVERITIES[SEVERITIES.indexOf(severity) + 1] ?? null;
}

/** Negative if `a` is less severe than `b`, positive if more severe, 0 if equal. */
export function compareSeverity(a: Severity, b: Severity): number {
  return SEVERITIES.indexOf(a) - SEVERITIES.indexOf(b);
}
