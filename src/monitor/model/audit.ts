import type { Instant } from "../../lib/instant.ts";
import type { Actor } from "./alert-action.ts";
import type { UserRole } from "./user.ts";

/** Something that somebody changed, or tried to. */
export interface AuditEntry {
  readonly at: Instant;
  readonly actor: Actor;
  /** At that moment; null for whoever has none, as in the shell. */
  readonly role: UserRole | null;
  /** From where: an address, or the name of a machine. */
  readonly origin: string;
  /** Such as `login`, `silence.add`, `user.role`. */
  readonly action: string;
  /** What it was done to; empty for nothing in particular. */
  readonly target: string;
  readonly outcome: "Done" | "Refused" | "Failed";
  /** What changed, or why nothing did. No password and no token. */
  readonly detail: string;
}

export interface AuditFilter {
  /** Letters of a login. */
  readonly who: string | null;
  /** The beginning of an action. */
  readonly action: string | null;
  readonly from: Instant | null;
  readonly to: Instant | null;
}
