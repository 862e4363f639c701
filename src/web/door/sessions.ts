import { createHmac, randomBytes, scrypt } from "node:crypto";
import { promisify } from "node:util";
import type { Clock } from "../../lib/clock.ts";
import { HOUR, type Instant } from "../../lib/instant.ts";
import { isSameText } from "../../lib/is-same-text.ts";

export const SESSION_MS = 12 * HOUR;

/**
 * Sessions that no process has to remember: a signed moment of expiry. The key comes from the login itself, so every
 * process of one configuration accepts them, and a new password ends them all. One that logged out is remembered as
 * such by this process until it would have expired.
 */
export interface Sessions {
  /** Compares in constant time, whatever is wrong. */
  isLogin(username: string, password: string): boolean;
  open(): string;
  isOpen(session: string | undefined): session is string;
  close(session: string): void;
  /** What a form must carry that is posted with this cookie: nobody else's site can know it. */
  formToken(cookie: string): string;
  isFormToken(cookie: string | undefined, token: string): boolean;
}

export async function createSessions(
  login: { readonly username: string; readonly password: string },
  clock: Clock,
): Promise<Sessions> {
  // Slow on purpose: a cookie that leaks must not become a way to try out passwords.
  const key = (await promisify(scrypt)(login.password, `earshot-console ${login.username}`, 32)) as Buffer;
  const closed = new Map<string, Instant>();
  const sign = (purpose: string, text: string) =>
    createHmac("sha256", key).update(`${purpose} ${text}`).digest("base64url");
  return {
    isLogin: (username, password) => {
      const rightName = isSameText(username, login.username);
      const rightPassword = isSameText(password, login.password);
      return rightName && rightPassword;
    },
    open: () => {
      const text = `${clock.now() + SESSION_MS}.${randomBytes(16).toString("base64url")}`;
      return `${text}.${sign("session", text)}`;
    },
    isOpen: (session): session is string => {
      if (session === undefined || closed.has(session)) return false;
      const [expires = "", nonce = "", signature = ""] = session.split(".");
      return isSameText(signature, sign("session", `${expires}.${nonce}`)) && Number(expires) > clock.now();
    },
    close: (session) => {
      for (const [old, until] of closed) if (until <= clock.now()) closed.delete(old);
      closed.set(session, clock.now() + SESSION_MS);
    },
    formToken: (cookie) => sign("form", cookie),
    isFormToken: (cookie, token) => cookie !== undefined && isSameText(token, sign("form", cookie)),
  };
}
