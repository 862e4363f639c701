import { type Instant, toIso } from "../../lib/instant.ts";

/** The API's own form of a moment: `2026-02-17T07:36:05.000+0000`. */
export function wireTime(at: Instant): string {
  return `${toIso(at).slice(0, -1)}+0000`;
}
