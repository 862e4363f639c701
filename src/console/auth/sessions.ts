import { createHmac, randomBytes, scrypt } from "node:crypto";
import { promisify } from "node:util";
import cookie from "@fastify/cookie";
import secureSession, { type Session } from "@fastify/secure-session";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { z } from "zod";
import type { Clock } from "../../lib/clock.ts";
import { DAY, HOUR, type Instant, SECOND } from "../../lib/instant.ts";
import { isSameText } from "../../lib/signed-text.ts";
import { type ConsoleSettings, isHttps } from "../settings.ts";

export const SESSION_MS = 12 * HOUR;
const DEVICE_MS = 400 * DAY;

declare module "fastify" {
  interface FastifyRequest {
    /** A browser that logged in before. It grants no access; it only has its own login attempts. */
    device: Session<{ id: string }>;
  }
}

/** Sessions that logged out before they expired, stored for every process. */
export interface ClosedSessions {
  close(id: string, until: Instant): Promise<void>;
  isClosed(id: string): Promise<boolean>;
}

/**
 * Encrypted cookies: `session` holds the secret of forms and, after a login, the user; `device` outlives it. Their keys
 * come from a random secret alone, so nothing that a stranger gets depends on the password.
 */
export async function openCookies(
  app: FastifyInstance,
  secret: string,
  settings: ConsoleSettings,
): Promise<void> {
  const secure = isHttps(settings);
  // The prefix keeps other hosts of the domain from setting this cookie; browsers then require `secure`.
  const cookieName = (name: string) => (secure ? `__Host-${name}` : name);
  const attributes = (lifeMs: number) => ({
    path: "/",
    httpOnly: true,
    sameSite: "strict" as const,
    secure,
    maxAge: lifeMs / SECOND,
  });
  await app.register(cookie);
  await app.register(secureSession, [
    {
      sessionName: "session",
      cookieName: cookieName("earshot"),
      key: hmac(secret, "key of the console's session cookie"),
      expiry: SESSION_MS / SECOND,
      cookie: attributes(SESSION_MS),
    },
    {
      sessionName: "device",
      cookieName: cookieName("earshot-device"),
      key: hmac(secret, "key of the console's device cookie"),
      expiry: DEVICE_MS / SECOND,
      cookie: attributes(DEVICE_MS),
    },
  ]);
}

export interface OpenSession {
  readonly id: string;
  readonly username: string;
  readonly until: Instant;
}

const LoggedIn = z.object({
  username: z.string(),
  credential: z.string(),
  id: z.string(),
  until: z.number(),
});

/** The logged-in user, in the cookie `session`. All processes of one configuration accept the same sessions. */
export interface Sessions {
  /** Compares in constant time, whichever part is wrong. */
  isLogin(username: string, password: string): boolean;
  open(request: FastifyRequest): void;
  /** Null if the cookie is absent, expired, logged out, or from another name or password. */
  find(request: FastifyRequest): Promise<OpenSession | null>;
  isStillOpen(session: OpenSession): Promise<boolean>;
  close(session: OpenSession): Promise<void>;
}

export async function createSessions(
  login: { readonly username: string; readonly password: string },
  parts: { readonly secret: string; readonly closed: ClosedSessions; readonly wall: Clock },
): Promise<Sessions> {
  const { secret, closed, wall } = parts;
  // A new password ends all sessions. The hash is slow on purpose, and only ever sent inside an encrypted cookie.
  const salt = hmac(secret, `salt of the password of ${login.username}`);
  const hash = (await promisify(scrypt)(login.password, salt, 32)) as Buffer;
  const credential = hmac(secret, `login ${hash.toString("base64url")}`).toString("base64url");
  const isStillOpen = async ({ id, until }: OpenSession) =>
    until > wall.now() && !(await closed.isClosed(id));
  return {
    isLogin: (username, password) => {
      const rightName = isSameText(username, login.username);
      const rightPassword = isSameText(password, login.password);
      return rightName && rightPassword;
    },
    open: (request) => {
      // Drop the old session: an attacker who set it must not share the new one.
      request.session.regenerate();
      const data: z.output<typeof LoggedIn> = {
        username: login.username,
        credential,
        id: randomBytes(16).toString("base64url"),
        until: wall.now() + SESSION_MS,
      };
      // In the plug-in's types a session has no fields.
      for (const [key, value] of Object.entries(data)) request.session.set(key as never, value as never);
      if (request.device.get("id") === undefined) {
        request.device.set("id", randomBytes(16).toString("base64url"));
      }
    },
    find: async (request) => {
      const read = LoggedIn.safeParse(request.session.data());
      if (!read.success) return null;
      const { username, id, until } = read.data;
      const isRight = username === login.username && isSameText(read.data.credential, credential);
      return isRight && (await isStillOpen({ id, username, until })) ? { id, username, until } : null;
    },
    isStillOpen,
    close: ({ id, until }) => closed.close(id, until),
  };
}

function hmac(secret: string, purpose: string): Buffer {
  return createHmac("sha256", secret).update(purpose).digest();
}
