import { randomBytes } from "node:crypto";
import { nameKey, type StoredUser, type Stores } from "#monitor";
import { sha256 } from "../../lib/hashes.ts";
import { DAY, type Instant } from "../../lib/instant.ts";
import { hashPassword } from "../../lib/password-hash.ts";
import { isNamed, whyNotPassword } from "./manage-users.ts";

export const INVITATION_MS = 3 * DAY;
export const LONGEST_INVITATION_MS = 30 * DAY;

interface Parts {
  readonly stores: Stores;
  readonly now: Instant;
}
type Refusal = { readonly outcome: "Refused"; readonly because: string };

/** Makes a link with which a user sets a password, once. Links of before work no more. */
export async function invite(
  { stores, namesOfFile, now }: Parts & { readonly namesOfFile: readonly string[] },
  name: string,
  lengthMs: number,
): Promise<{ readonly outcome: "Done"; readonly path: string; readonly until: Instant } | Refusal> {
  if (isNamed(namesOfFile, name))
    return { outcome: "Refused", because: `earshot.yaml names ${name}, with a password` };
  const user = await stores.users.find(name);
  if (user === null) return { outcome: "Refused", because: `there is no user ${name}` };
  if (user.endedAt !== null) return { outcome: "Refused", because: `${user.name} has ended` };
  if (user.openId !== null) return { outcome: "Refused", because: `${user.name} logs in elsewhere` };
  const code = randomBytes(32).toString("base64url");
  const until = now + lengthMs;
  await stores.transaction(({ oneTimeCodes }) =>
    oneTimeCodes.add({ secretHash: sha256(code), purpose: "invitation", nameKey: nameKey(name), until }),
  );
  return { outcome: "Done", path: `/invitations/${code}`, until };
}

/** Whom a link invites. Null: it was used, its time is over, or there is no such link. */
export async function invitedBy({ stores, now }: Parts, code: string): Promise<StoredUser | null> {
  const name = await stores.oneTimeCodes.find("invitation", sha256(code), now);
  const user = name === null ? null : await stores.users.find(name);
  return user?.endedAt === null ? user : null;
}

/** Uses the link: its user has this password from now on, and no session of before. */
export async function acceptInvitation(
  { stores, now }: Parts,
  code: string,
  user: Pick<StoredUser, "id" | "name">,
  password: string,
): Promise<{ readonly outcome: "Done" } | Refusal | { readonly outcome: "Gone" }> {
  const fault = whyNotPassword(password, user.name);
  if (fault !== null) return { outcome: "Refused", because: fault };
  const passwordHash = await hashPassword(password);
  return stores.transaction(async ({ oneTimeCodes, users, sessions }) => {
    const name = await oneTimeCodes.use("invitation", sha256(code), now);
    if (name !== nameKey(user.name)) return { outcome: "Gone" };
    await users.setPassword(user.id, passwordHash);
    await sessions.endAll(name, now);
    return { outcome: "Done" };
  });
}
