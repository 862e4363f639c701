import { nameKey, type Stores, type UserRole } from "#monitor";
import type { Clock } from "../../lib/clock.ts";
import { cached } from "../../lib/concurrency.ts";
import { hmacSha256 } from "../../lib/hashes.ts";
import { SECOND } from "../../lib/instant.ts";
import { hashPassword, isPassword } from "../../lib/password-hash.ts";
import { type ConsoleSettings, demandsLogin } from "../common/settings.ts";

/** A user of the console. */
export interface User {
  readonly name: string;
  readonly role: UserRole;
  /** Where the user is kept: in `web.login` or `web.users` of earshot.yaml, in the database, or by an OpenID provider. */
  readonly kept: "Login" | "File" | "Database" | "OpenId";
  /** Changes with the password, and no two users have the same: a session ends when it is another one. */
  readonly credential: string;
}

/** Whether somebody alone knows the password: who logs in elsewhere has none, and the shared one is known to many. */
export function hasOwnPassword({ kept }: User): boolean {
  return kept === "File" || kept === "Database";
}

/** The users of earshot.yaml and of the database. Of one name, that of the file counts. */
export interface Users {
  /** Those of earshot.yaml. */
  readonly ofFile: readonly User[];
  /** Whether the console asks for a login. Once a user was added, it always does. */
  isLoginDemanded(): Promise<boolean>;
  /** Null: there is none, or an admin ended it. */
  find(name: string): Promise<User | null>;
  /** The user of this name and password. As slow if there is no such user, so that nobody learns which names there are. */
  withPassword(name: string, password: string): Promise<User | null>;
}

/** How soon a console without a login notices that somebody added the first user. */
const ASKED_EVERY_MS = 2 * SECOND;

interface KnownUser {
  readonly user: User;
  readonly passwordHash: string | null;
}

export async function createUsers(
  settings: ConsoleSettings,
  {
    stored,
    secret,
    wall,
  }: { readonly stored: Stores["users"]; readonly secret: string; readonly wall: Clock },
): Promise<Users> {
  /** `id`: a user that is added later with a name of before is another one. */
  const toKnown = (user: Omit<User, "credential">, id: string, passwordHash: string | null): KnownUser => {
    const credential = hmacSha256(secret, JSON.stringify(["credential", id, passwordHash])).toString(
      "base64url",
    );
    return { user: { ...user, credential }, passwordHash };
  };
  const ofFile = new Map<string, KnownUser>();
  for (const { name, role, passwordHash } of settings.users ?? [])
    ofFile.set(nameKey(name), toKnown({ name, role, kept: "File" }, `file ${name}`, passwordHash));
  const { login, admins = [] } = settings;
  if (login !== undefined) {
    const { username: name, password } = login;
    const role = admins.includes(name) ? "admin" : "responder";
    // This salt is always the same: in every process its sessions have the same credential.
    const salt = hmacSha256(secret, `salt of the password of ${name}`).subarray(0, 16);
    const passwordHash = await hashPassword(password, salt);
    ofFile.set(nameKey(name), toKnown({ name, role, kept: "Login" }, `login ${name}`, passwordHash));
  }
  const known = async (name: string): Promise<KnownUser | null> => {
    const inFile = ofFile.get(nameKey(name));
    if (inFile !== undefined) return inFile;
    const found = await stored.find(name);
    if (found === null || found.endedAt !== null) return null;
    const { id, role, passwordHash } = found;
    const kept = found.openId === null ? "Database" : "OpenId";
    return toKnown({ name: found.name, role, kept }, id, passwordHash);
  };

  let isDemanded = demandsLogin(settings) || (await stored.isUsed());
  const isUsed = cached(() => stored.isUsed(), ASKED_EVERY_MS, wall);
  return {
    ofFile: [...ofFile.values()].map(({ user }) => user),
    isLoginDemanded: async () => {
      // While the database is away it is as before: nothing of it can be read anyway.
      if (!isDemanded) isDemanded = await isUsed.ask().catch(() => false);
      return isDemanded;
    },
    find: async (name) => (await known(name))?.user ?? null,
    withPassword: async (name, password) => {
      const found = await known(name);
      const isRight = await isPassword(password, found?.passwordHash ?? NOBODYS_HASH);
      return isRight && found?.passwordHash != null ? found.user : null;
    },
  };
}

/** As costly as any other. No password is known that has it. */
const NOBODYS_HASH = `$argon2id$v=19$m=19456,t=2,p=1$${"A".repeat(22)}$${"A".repeat(43)}`;
