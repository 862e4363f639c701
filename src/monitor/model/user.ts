import { z } from "zod";
import type { Instant } from "../../lib/instant.ts";
import { normalized } from "../../lib/text.ts";

/** What a user of the console may do. Each may do what the ones before may. */
export const UserRole = z.enum(["viewer", "responder", "editor", "admin"]);
export type UserRole = z.infer<typeof UserRole>;

/** For the help of commands and for pages. */
export const ROLE_WORDS: Readonly<Record<UserRole, string>> = {
  viewer: "reads everything, and tries rules",
  responder: "acts on alerts and incidents, and silences",
  editor: "writes rules",
  admin: "changes the set-up, and manages users",
};

/** Whether somebody with this role may do what needs the other. */
export function reachesRole(role: UserRole, needed: UserRole): boolean {
  return UserRole.options.indexOf(role) >= UserRole.options.indexOf(needed);
}

/** A name to log in with. Capitals make no difference, and it holds no character that a page or a log would hide. */
export const UserName = z
  .string()
  .trim()
  .transform((name) => normalized(name, "NFC"))
  .pipe(
    z
      .string()
      .regex(
        /^[\p{L}\p{N}][\p{L}\p{M}\p{N} ._@+-]{0,79}$/u,
        "a name has 1 to 80 letters, digits and . _ @ + - or blanks, and begins with a letter or a digit",
      ),
  );

/** Names that differ in capitals alone are one. */
export function nameKey(name: string): string {
  return normalized(name.trim(), "NFC").toLowerCase();
}

/** A user that the database keeps. */
export interface StoredUser {
  readonly id: string;
  readonly name: string;
  readonly role: UserRole;
  readonly email: string | null;
  /** Null: they log in elsewhere, or have not followed their invitation yet. */
  readonly passwordHash: string | null;
  /** Who they are at an OpenID provider. Null: they do not log in there. */
  readonly openId: { readonly issuer: string; readonly subject: string } | null;
  readonly createdAt: Instant;
  readonly createdBy: string;
  readonly endedAt: Instant | null;
}
