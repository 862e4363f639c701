import type { Instant } from "../lib/instant.ts";
import type { Mention } from "./mention.ts";

/** A mention that met a mention rule, and the alert that it goes to. */
export interface Match {
  readonly rule: string;
  readonly mention: Mention;
  readonly alertId: string;
  readonly at: Instant;
  readonly because: string;
}

/** The key by which a mention alerts once for a rule, however often it is read or changed. */
export function matchKey(rule: string, mention: { queryId: string; resourceId: string }): string {
  return JSON.stringify([rule, mention.queryId, mention.resourceId]);
}
