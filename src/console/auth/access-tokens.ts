import { randomBytes } from "node:crypto";
import { LONGEST_TOKEN_MS, MOST_TOKENS, nameKey, type StoredToken, type Stores, TokenScope } from "#monitor";
import type { Clock } from "../../lib/clock.ts";
import { formatDuration } from "../../lib/duration.ts";
import { sha256 } from "../../lib/hashes.ts";
import { HOUR, type Instant, MINUTE } from "../../lib/instant.ts";
import { uuid7 } from "../../lib/uuid7.ts";
import type { User, Users } from "./users.ts";

/** `earshot_read_…`: whoever finds one in a file sees what it is, and programs that look for leaks find it. */
const TOKEN = new RegExp(`^earshot_(?:${TokenScope.options.join("|")})_[\\w-]{43}$`);
/** How often a token notes that it is used. */
const NOTED_EVERY_MS = MINUTE;

/** Tokens of programs: 256 random bits, of which only a hash is kept. */
interface AccessTokens {
  /** The user and the scope of a token. Null: there is no such token, it has ended, or its user has. */
  find(token: string, address: string): Promise<{ readonly user: User; readonly scope: TokenScope } | null>;
}

export function createAccessTokens(
  users: Pick<Users, "find">,
  { stored, wall }: { readonly stored: Stores["accessTokens"]; readonly wall: Clock },
): AccessTokens {
  return {
    find: async (token, address) => {
      if (!TOKEN.test(token)) return null;
      const now = wall.now();
      const found = await stored.find(sha256(token), now);
      const user = found === null ? null : await users.find(found.nameKey);
      if (found === null || user === null) return null;
      if (now - (found.usedAt ?? 0) >= NOTED_EVERY_MS) await stored.noteUse(found.id, address, now);
      return { user, scope: found.scope };
    },
  };
}

/** The token that a program sent. Null: it sent none. */
export function tokenIn(authorization: string | undefined): string | null {
  return /^Bearer\s+(\S+)$/i.exec(authorization ?? "")?.[1] ?? null;
}

type AddedToken =
  | { readonly outcome: "Done"; readonly token: StoredToken; readonly text: string }
  | { readonly outcome: "Refused"; readonly because: string };

/** Makes a token for a user. Its text is in the result, and nowhere else. */
export async function addToken(
  stores: Pick<Stores, "accessTokens">,
  newToken: {
    readonly user: string;
    readonly label: string;
    readonly scope: TokenScope;
    readonly lengthMs: number;
    readonly now: Instant;
  },
): Promise<AddedToken> {
  const { user, label, scope, lengthMs, now } = newToken;
  if (label.trim() === "") return { outcome: "Refused", because: "say what the token is for" };
  if (!(lengthMs >= HOUR && lengthMs <= LONGEST_TOKEN_MS))
    return { outcome: "Refused", because: `a token lasts from 1h to ${formatDuration(LONGEST_TOKEN_MS)}` };
  const others = await stores.accessTokens.list(nameKey(user), now);
  if (others.length >= MOST_TOKENS)
    return { outcome: "Refused", because: `${user} has ${MOST_TOKENS} tokens: end one of them first` };
  const text = `earshot_${scope}_${randomBytes(32).toString("base64url")}`;
  const token = {
    ...{ id: uuid7(now), nameKey: nameKey(user), label: label.trim().slice(0, 80), scope },
    ...{ createdAt: now, until: now + lengthMs },
  };
  await stores.accessTokens.add({ ...token, secretHash: sha256(text) });
  return { outcome: "Done", token: { ...token, usedAt: null, usedFrom: null }, text };
}
