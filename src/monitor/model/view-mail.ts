import type { Instant } from "../../lib/instant.ts";

/** A saved view that a user gets as a mail every Monday. */
export interface ViewMail {
  /** Of its editions. */
  readonly name: string;
  /** The user who gets it. */
  readonly nameKey: string;
  readonly title: string;
  readonly address: string;
  readonly timezone: string;
  /** Since when they want it. */
  readonly since: Instant;
  /** Its newest edition; null: none yet. */
  readonly last: { readonly key: string; readonly dueAt: Instant } | null;
}
