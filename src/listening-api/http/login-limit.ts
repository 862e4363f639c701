import { isIPv6 } from "node:net";
import { sha256 } from "../../lib/hashes.ts";
import { oauthError } from "../parameters/api-error.ts";
import { foldUsername } from "../store/accounts.ts";
import type { Database } from "../store/database.ts";
import { beginAttempt, forgetAttempts, pruneAttempts } from "../store/logins.ts";

const WINDOW_SECONDS = 300;
/** Failed logins of one name in the window. */
const FAILURES_OF_A_NAME = 10;
/** Failed logins from one address in the window: many users may share an address. */
const FAILURES_OF_AN_ADDRESS = 100;

/**
 * Slows down guessing, per login name and per address, counted in the tables and thus in all server processes
 * together. Answers what `logIn` gives; the attempt counts unless that is a login. Throws the 429.
 */
export async function limitLogins<Login>(
  db: Database,
  { username, address }: { username: string; address: string },
  logIn: () => Promise<Login | undefined>,
): Promise<Login | undefined> {
  const name = subject("name", await foldUsername(db, username));
  const outcome = await beginAttempt(
    db,
    [
      { hash: name, allowed: FAILURES_OF_A_NAME },
      { hash: subject("address", networkOf(address)), allowed: FAILURES_OF_AN_ADDRESS },
    ],
    WINDOW_SECONDS,
  );
  if (outcome.kind === "has-to-wait") throw tooManyLogins(outcome.seconds);
  const login = await logIn();
  if (login === undefined) await pruneAttempts(db, WINDOW_SECONDS);
  else await forgetAttempts(db, outcome.attemptIds, name);
  return login;
}

function tooManyLogins(seconds: number) {
  const description = `Too many failed logins. Try again in ${seconds} seconds.`;
  return oauthError(429, "too_many_attempts", description, { "retry-after": String(seconds) });
}

/** Hashed, because people type passwords into the field for the name. */
function subject(kind: "name" | "address", value: string): Buffer {
  return sha256(`${kind}:${value}`);
}

/**
 * The key under which attempts count together: an IPv4 address, or the first half of an IPv6 address, because a single
 * customer usually has all of the second half.
 */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(address)) return address;
  const [head = "", tail] = (address.split("%")[0] ?? "").toLowerCase().split("::");
  const before = groupsOf(head);
  const after = groupsOf(tail ?? "");
  const missing = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  const groups = [...before, ...Array<string>(missing).fill("0"), ...after];
  return `${groups.slice(0, 4).join(":")}::/64`;
}

function groupsOf(text: string): string[] {
  return text.split(":").flatMap((group) => (group === "" ? [] : [group.replace(/^0+(?=.)/, "")]));
}
