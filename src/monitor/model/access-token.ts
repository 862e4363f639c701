import { z } from "zod";
import { DAY, type Instant } from "../../lib/instant.ts";

/** What a token of a program opens. Whoever acts has to read, so `act` opens both. */
export const TokenScope = z.enum(["read", "act", "atom", "metrics", "push"]);
export type TokenScope = z.infer<typeof TokenScope>;

export const SCOPE_WORDS: Readonly<Record<TokenScope, string>> = {
  read: "reads pages and JSON",
  act: "reads, acts on alerts, silences",
  atom: "reads /alerts.atom and /mentions.atom, and may stand in their address",
  metrics: "reads /metrics, for Prometheus",
  push: "posts mentions to /feeds/push",
};

/** Every token ends. */
export const LONGEST_TOKEN_MS = 400 * DAY;
/** Of a user, at a time. */
export const MOST_TOKENS = 50;

/** A token as it is kept: its text is shown once, to whoever made it. */
export interface StoredToken {
  readonly id: string;
  /** Of its user: see `nameKey`. */
  readonly nameKey: string;
  /** What it is for. */
  readonly label: string;
  readonly scope: TokenScope;
  readonly createdAt: Instant;
  readonly until: Instant;
  readonly usedAt: Instant | null;
  readonly usedFrom: string | null;
}
