import { createHmac } from "node:crypto";

/** What a person asks to forget: all mentions of an author (handle or name, exactly) or of an address. */
export interface AskedToForget {
  readonly what: "author" | "url";
  readonly value: string;
  /** Only of this domain or page type; null: of all. */
  readonly source: string | null;
}

/** The setting with the secret of this installation, in base64url: without it nobody can guess names from stored hashes. */
export const FORGET_SECRET = "forget-secret";

export function askedHash(secret: Buffer, { what, value, source }: AskedToForget): Buffer {
  const exact = what === "author" ? withoutAt(value) : value;
  return createHmac("sha256", secret)
    .update(JSON.stringify([what, exact, source]))
    .digest();
}

/** `@ann` and `ann` are one handle. */
export function withoutAt(author: string): string {
  return author.replace(/^@/, "");
}
