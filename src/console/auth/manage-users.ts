import { randomBytes } from "node:crypto";
import { nameKey, type StoredUser, type Stores, type UserRole } from "#monitor";
import type { Instant } from "../../lib/instant.ts";
import { hashPassword } from "../../lib/password-hash.ts";
import { uuid7 } from "../../lib/uuid7.ts";

export type ManagedUser =
  | { readonly outcome: "Done"; readonly user: StoredUser; readonly endedSessions: number }
  | { readonly outcome: "Refused"; readonly because: string };

interface Parts {
  readonly stores: Stores;
  /** Names of earshot.yaml. */
  readonly namesOfFile: readonly string[];
  readonly now: Instant;
}

/** The shortest password that a person may choose. */
export const SHORTEST_PASSWORD = 12;
/** A longer one costs time and protects nobody. */
const LONGEST_PASSWORD = 1_000;

/** Why nobody may have this password; null if they may. */
export function whyNotPassword(password: string, name: string): string | null {
  if (password.length < SHORTEST_PASSWORD)
    return `a password has ${SHORTEST_PASSWORD} characters or more; four words in a row are a good one`;
  if (password.length > LONGEST_PASSWORD) return `a password has at most ${LONGEST_PASSWORD} characters`;
  if (nameKey(password).includes(nameKey(name)) || new Set(password).size < 5)
    return "that password is guessed too easily";
  return null;
}

/** A password that nobody can guess, for a first login: 120 bits in groups that can be read out. */
export function inventPassword(): string {
  const letters = randomBytes(15).toString("base64url").replaceAll(/[-_]/g, "x");
  return (letters.match(/.{5}/g) ?? []).join("-");
}

export async function addUser(
  { stores, namesOfFile, now }: Parts,
  newUser: {
    readonly name: string;
    readonly role: UserRole;
    readonly email: string | null;
    readonly password: string | null;
    readonly by: string;
  },
): Promise<ManagedUser> {
  const { name, role, email, password, by } = newUser;
  if (isNamed(namesOfFile, name))
    return { outcome: "Refused", because: `earshot.yaml names ${name} already` };
  const fault = password === null ? null : whyNotPassword(password, name);
  if (fault !== null) return { outcome: "Refused", because: fault };
  const passwordHash = password === null ? null : await hashPassword(password);
  const user = {
    ...{ id: uuid7(now), name, role, email, passwordHash, openId: null },
    ...{ createdAt: now, createdBy: by },
  };
  if (await stores.users.add(user))
    return { outcome: "Done", user: { ...user, endedAt: null }, endedSessions: 0 };
  const found = await stores.users.find(name);
  const how = found?.endedAt == null ? "" : `, who has ended; bring them back: earshot users restore ${name}`;
  return { outcome: "Refused", because: `there is a user ${found?.name ?? name}${how}` };
}

export type UserChange =
  | { readonly do: "role"; readonly role: UserRole }
  | { readonly do: "password"; readonly password: string }
  | { readonly do: "end" }
  | { readonly do: "restore" };

/** Changes a user of the database. Who ended, or has a new password, is logged out everywhere. */
export async function changeUser(
  { stores, namesOfFile, now }: Parts,
  name: string,
  change: UserChange,
): Promise<ManagedUser> {
  if (isNamed(namesOfFile, name))
    return { outcome: "Refused", because: `earshot.yaml names ${name}: change it there, and reload` };
  const fault = change.do === "password" ? whyNotPassword(change.password, name) : null;
  if (fault !== null) return { outcome: "Refused", because: fault };
  const passwordHash = change.do === "password" ? await hashPassword(change.password) : null;
  return stores.transaction(async ({ users, sessions }) => {
    const user = await users.find(name);
    if (user === null) return { outcome: "Refused", because: `there is no user ${name}` };
    const { id } = user;
    switch (change.do) {
      case "role":
        await users.setRole(id, change.role);
        return { outcome: "Done", user: { ...user, role: change.role }, endedSessions: 0 };
      case "password": {
        await users.setPassword(id, passwordHash ?? "");
        const endedSessions = await sessions.endAll(nameKey(name), now);
        return { outcome: "Done", user: { ...user, passwordHash }, endedSessions };
      }
      case "end": {
        if (user.endedAt !== null) return { outcome: "Refused", because: `${user.name} has ended already` };
        await users.setEnd(id, now);
        const endedSessions = await sessions.endAll(nameKey(name), now);
        return { outcome: "Done", user: { ...user, endedAt: now }, endedSessions };
      }
      case "restore":
        await users.setEnd(id, null);
        return { outcome: "Done", user: { ...user, endedAt: null }, endedSessions: 0 };
    }
  });
}

export function isNamed(names: readonly string[], name: string): boolean {
  return names.some((one) => nameKey(one) === nameKey(name));
}
