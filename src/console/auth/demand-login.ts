import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/log.ts";
import type { ConsoleSettings } from "../settings.ts";
import { type Attempts, createAttempts, createKnownPrograms } from "./attempts.ts";
import { type ClosedSessions, createSessions, type OpenSession } from "./sessions.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Open to everybody, with or without a login: what it shows or does must be safe for strangers. */
    isPublic?: boolean;
  }
}

/** `config` of a route that needs no login. */
export const PUBLIC = { isPublic: true } as const;

/** The visitor, as far as Earshot knows. `username` is null if no login is configured. */
export interface Visitor {
  readonly username: string | null;
  /** Null if a program sent its login with the request. */
  readonly session: OpenSession | null;
}

/** Decides who may request what. Without a configured login, everybody on this machine may request everything. */
export interface ConsoleAuth {
  /** Null for a stranger, who may see public pages only. */
  visitor(request: FastifyRequest): Visitor | null;
  isStillOpen(session: OpenSession): Promise<boolean>;
  /** Calls back when a session of this process logs out. */
  onLogout(listener: (session: OpenSession) => void): void;
  /** Null if no login is configured. */
  readonly login: LoginActions | null;
}

/** What the login form needs. */
export interface LoginActions {
  /** Opens a session for the right login, or returns the reason why not. */
  tryLogin(request: FastifyRequest, given: GivenLogin): Promise<TriedLogin>;
  logOut(request: FastifyRequest): Promise<void>;
}

export interface GivenLogin {
  readonly username: string;
  readonly password: string;
}
export type TriedLogin =
  | { readonly outcome: "Right" }
  | { readonly outcome: "Wrong" }
  | { readonly outcome: "TooMany"; readonly waitMs: number };

/**
 * Requires a login for all but public routes. Programs may send the same login as HTTP Basic; we never request it, so
 * browsers never do.
 */
export async function demandLogin(
  app: FastifyInstance,
  settings: ConsoleSettings,
  parts: {
    readonly secret: string;
    readonly closed: ClosedSessions;
    readonly wall: Clock;
    readonly log: Logger;
  },
): Promise<ConsoleAuth> {
  if (settings.login === undefined) return { ...NO_LOGIN };
  const sessions = await createSessions(settings.login, parts);
  const attempts = await createAttempts(app);
  const programs = createKnownPrograms(app, parts.wall);
  const visitors = new WeakMap<FastifyRequest, Visitor>();
  const listeners: ((session: OpenSession) => void)[] = [];

  app.addHook("onRequest", async (request, reply) => {
    const visitor = await identify(request);
    if (visitor !== null) visitors.set(request, visitor);
    else if (request.routeOptions.config.isPublic !== true) return turnAway(request, reply);
  });

  return {
    visitor: (request) => visitors.get(request) ?? null,
    isStillOpen: sessions.isStillOpen,
    onLogout: (listener) => listeners.push(listener),
    login: {
      tryLogin: async (request, given) => {
        const tried = await judge(attempts, request, given);
        if (tried.outcome === "Right") sessions.open(request);
        return tried;
      },
      logOut: async (request) => {
        const session = visitors.get(request)?.session ?? null;
        request.session.delete();
        if (session === null) return;
        await sessions.close(session);
        for (const listener of listeners) listener(session);
      },
    },
  };

  async function identify(request: FastifyRequest): Promise<Visitor | null> {
    const session = await sessions.find(request);
    if (session !== null) return { username: session.username, session };
    const basic = basicLogin(request.headers.authorization);
    if (basic === null) return null;
    if (!(await programs.knows(request))) {
      const { outcome } = await judge(attempts, request, basic);
      if (outcome !== "Right") {
        await programs.wasWrong(request);
        return null;
      }
      programs.wasRight(request);
    }
    return { username: basic.username, session: null };
  }

  /** Waits for nothing outside the process, so simultaneous attempts are counted one by one. */
  async function judge(counter: Attempts, request: FastifyRequest, given: GivenLogin): Promise<TriedLogin> {
    const waitMs = await counter.waitMs(request, given.username);
    if (waitMs > 0) return { outcome: "TooMany", waitMs };
    if (sessions.isLogin(given.username, given.password)) return { outcome: "Right" };
    await counter.failed(request, given.username);
    parts.log.warn({ address: request.ip }, "a login failed");
    return { outcome: "Wrong" };
  }
}

const NO_LOGIN: ConsoleAuth = {
  visitor: () => ({ username: null, session: null }),
  isStillOpen: async () => true,
  onLogout: () => {},
  login: null,
};

function turnAway(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (wantsPage(request)) return reply.redirect(`/login?next=${encodeURIComponent(request.url)}`, 303);
  return reply.code(401).send({ error: "log in first" });
}

function wantsPage(request: FastifyRequest): boolean {
  return (
    request.method === "GET" &&
    request.headers["hx-request"] === undefined &&
    (request.headers.accept ?? "").includes("text/html")
  );
}

function basicLogin(header: string | undefined): GivenLogin | null {
  const [scheme, encoded] = (header ?? "").split(" ", 2);
  if (scheme?.toLowerCase() !== "basic" || encoded === undefined) return null;
  const text = Buffer.from(encoded, "base64").toString("utf8");
  const colon = text.indexOf(":");
  return colon === -1 ? null : { username: text.slice(0, colon), password: text.slice(colon + 1) };
}
