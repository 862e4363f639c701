import { randomBytes } from "node:crypto";
import cookie from "@fastify/cookie";
import secureSession, { type Session } from "@fastify/secure-session";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { z } from "zod";
import { nameKey, type Stores } from "#monitor";
import type { Clock } from "../../lib/clock.ts";
import { hmacSha256, sha256 } from "../../lib/hashes.ts";
import { DAY, HOUR, type Instant, MINUTE, SECOND } from "../../lib/instant.ts";
import { isSameText } from "../../lib/signed-text.ts";
import { uuid7 } from "../../lib/uuid7.ts";
import { type ConsoleSettings, isHttps } from "../common/settings.ts";
import { OPEN_ID_TRY_MS, type OpenIdTry } from "./open-id.ts";
import type { User, Users } from "./users.ts";

export const SESSION_MS = 12 * HOUR;
const DEVICE_MS = 400 * DAY;
/** How often a session notes that it is used. */
const NOTED_EVERY_MS = MINUTE;

declare module "fastify" {
  interface FastifyRequest {
    /** A browser that logged in before. It grants no access; it only has its own login attempts. */
    device: Session<{ id: string }>;
    /** A login that somebody began at an OpenID provider. */
    openIdTry: Session<{ kept: OpenIdTry }>;
  }
}

/**
 * Encrypted cookies: `session` holds the secret of forms and, after a login, that of the session; `device` outlives it.
 * Their keys come from a random secret alone, so nothing that a stranger gets depends on a password.
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
      key: hmacSha256(secret, "key of the console's session cookie"),
      expiry: SESSION_MS / SECOND,
      cookie: attributes(SESSION_MS),
    },
    {
      sessionName: "device",
      cookieName: cookieName("earshot-device"),
      key: hmacSha256(secret, "key of the console's device cookie"),
      expiry: DEVICE_MS / SECOND,
      cookie: attributes(DEVICE_MS),
    },
    {
      sessionName: "openIdTry",
      cookieName: cookieName("earshot-oidc"),
      key: hmacSha256(secret, "key of the console's cookie of OpenID logins"),
      expiry: OPEN_ID_TRY_MS / SECOND,
      // The provider's site sends the browser back to us: a strict cookie would not come with it.
      cookie: { ...attributes(OPEN_ID_TRY_MS), sameSite: "lax" },
    },
  ]);
}

export interface OpenSession {
  readonly id: string;
  readonly until: Instant;
}

const InCookie = z.object({ secret: z.string().length(43) });
/** The right password was given, and a code is missing. */
const HalfInCookie = z.object({
  half: z.object({ name: z.string(), credential: z.string(), until: z.number() }),
});
const HALF_MS = 5 * MINUTE;

declare module "@fastify/secure-session" {
  interface SessionData extends z.output<typeof InCookie>, z.output<typeof HalfInCookie> {}
}

/** Logins of browsers. The cookie holds 256 random bits, the table their hash: every process accepts the same sessions. */
interface Sessions {
  open(request: FastifyRequest, user: User): Promise<void>;
  /** Null if the cookie is absent, expired or logged out, or its user ended or got another password. */
  find(request: FastifyRequest): Promise<{ readonly user: User; readonly session: OpenSession } | null>;
  /** The right password was given in this browser; for some minutes. It opens nothing. */
  remember(request: FastifyRequest, user: User): void;
  /** Of whom that was. */
  remembered(request: FastifyRequest): Promise<User | null>;
  isStillOpen(session: OpenSession): Promise<boolean>;
  close(session: OpenSession): Promise<void>;
}

export function createSessions(
  users: Users,
  { stored, wall }: { readonly stored: Stores["sessions"]; readonly wall: Clock },
): Sessions {
  return {
    open: async (request, user) => {
      // Drop the old session: an attacker who set it must not share the new one.
      request.session.regenerate();
      const secret = randomBytes(32).toString("base64url");
      const now = wall.now();
      await stored.open({
        id: uuid7(now),
        secretHash: sha256(secret),
        nameKey: nameKey(user.name),
        credential: user.credential,
        openedAt: now,
        seenAt: now,
        until: now + SESSION_MS,
        address: request.ip,
        agent: (request.headers["user-agent"] ?? "").slice(0, 300),
      });
      request.session.set("secret", secret);
      if (request.device.get("id") === undefined)
        request.device.set("id", randomBytes(16).toString("base64url"));
    },
    find: async (request) => {
      const read = InCookie.safeParse(request.session.data());
      if (!read.success) return null;
      const now = wall.now();
      const found = await stored.find(sha256(read.data.secret), now);
      if (found === null) return null;
      const user = await users.find(found.nameKey);
      if (user === null || !isSameText(found.credential, user.credential)) return null;
      if (now - found.seenAt >= NOTED_EVERY_MS) await stored.sawAt(found.id, request.ip, now);
      return { user, session: { id: found.id, until: found.until } };
    },
    remember: (request, { name, credential }) => {
      const half = { name, credential, until: wall.now() + HALF_MS };
      request.session.set("half", half);
    },
    remembered: async (request) => {
      const half = HalfInCookie.safeParse(request.session.data()).data?.half;
      if (half === undefined || half.until <= wall.now()) return null;
      const user = await users.find(half.name);
      return user !== null && isSameText(half.credential, user.credential) ? user : null;
    },
    isStillOpen: ({ id }) => stored.isOpen(id, wall.now()),
    close: async ({ id }) => void (await stored.end(id, null, wall.now())),
  };
}
