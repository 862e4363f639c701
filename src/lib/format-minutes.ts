import { HOUR, MINUTE } from "./instant.ts";

/** A length of time in a sentence: `30 min`, `1 h`, `1 h 30 min`, `3 days`. Whole minutes. */
export function formatMinutes(ms: number): string {
  const minutes = Math.round(ms / MINUTE);
  const hours = Math.floor(minutes / 60);
  const rest = minutes % 60;
  if (hours >= 48 && ms % HOUR === 0 && hours % 24 === 0) return `${hours / 24} days`;
  if (hours === 0) return `${rest} min`;
  return rest === 0 ? `${hours} h` : `${hours} h ${rest} min`;
}
