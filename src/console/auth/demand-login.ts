import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Stores, TokenScope, UserRole } from "#monitor";
import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/log.ts";
import { type Access, decideAccess, isPublic, whyNot } from "./access.ts";
import { createAccessTokens, tokenIn } from "./access-tokens.ts";
import { createAttempts, createKnownPrograms } from "./attempts.ts";
import type { ProxyUsers } from "./proxy-users.ts";
import type { SecondFactors } from "./second-factor.ts";
import { createSessions, type OpenSession } from "./sessions.ts";
import type { User, Users } from "./users.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Null for a stranger, who may see public pages only. */
    visitor: Visitor | null;
  }
}

/** Who asks, as far as Earshot knows. */
interface Visitor {
  /** Null: this console asks for no login, and it is somebody at this machine. */
  readonly user: User | null;
  readonly role: UserRole;
  /** Null if a program sent its login with the request. */
  readonly session: OpenSession | null;
  /** Of the token that a program sent; null for none. */
  readonly scope: TokenScope | null;
}

/** Decides who may request what. */
export interface ConsoleAuth {
  /** Whether a token opens this for a user with this role. For routes that are public otherwise. */
  opens(request: FastifyRequest, access: Access): Promise<boolean>;
  /** Whether who opened this, some time ago, would be let in now. It counts as no use of a session. */
  isStillAllowed(request: FastifyRequest): Promise<boolean>;
  /** Calls back when a session of this process logs out. */
  onLogout(listener: (session: OpenSession) => void): void;
  readonly login: LoginActions;
}

/** What the login form needs. */
export interface LoginActions {
  /** False: everybody at this machine sees the console without a login. */
  isDemanded(): Promise<boolean>;
  /** Opens a session for the right login, or returns the reason why not. With a second factor `tryCode` opens it. */
  tryLogin(request: FastifyRequest, given: GivenLogin): Promise<TriedLogin | NeedsCode>;
  /** The code of an app, or a recovery code, of whoever gave the right password in this browser minutes ago. */
  tryCode(request: FastifyRequest, code: string): Promise<TriedCode>;
  /** A session without a password: whoever it is has shown who they are in another way. */
  logIn(request: FastifyRequest, user: User): Promise<void>;
  /** Whether it is right, with the same limits, and without a session. */
  tryPassword(request: FastifyRequest, given: GivenLogin): Promise<TriedLogin>;
  logOut(request: FastifyRequest): Promise<void>;
}

interface GivenLogin {
  readonly username: string;
  readonly password: string;
}
type TriedLogin =
  | { readonly outcome: "Right"; readonly user: User }
  | { readonly outcome: "Wrong" }
  | { readonly outcome: "TooMany"; readonly waitMs: number };

interface NeedsCode {
  readonly outcome: "NeedsCode";
  readonly user: User;
}
type TriedCode =
  | { readonly outcome: "Right"; readonly user: User; readonly byRecovery: boolean }
  | { readonly outcome: "Wrong" | "TooMany" | "Unreadable"; readonly user: User }
  /** No password was given in this browser, or too long ago. */
  | { readonly outcome: "TooLate" };

/** Sends a page that says what is missing. */
export type Refuse = (
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  headline: string,
  advice: string,
) => Promise<FastifyReply>;

/**
 * Lets everybody to public routes, and to others whoever has the role that the table of routes asks for. Programs may
 * send a login as HTTP Basic; we never request it, so browsers never do. Where no login is demanded, everybody is at this
 * machine, and has `roleAtMachine`.
 */
export async function demandLogin(
  app: FastifyInstance,
  parts: {
    readonly users: Users;
    readonly secondFactors: SecondFactors;
    /** Null: no proxy says who somebody is. */
    readonly proxyUsers: ProxyUsers | null;
    readonly stored: Pick<Stores, "sessions" | "accessTokens">;
    readonly roleAtMachine: UserRole;
    readonly wall: Clock;
    readonly log: Logger;
    /** Called later than this: it needs what this returns. */
    readonly refuse: Refuse;
  },
): Promise<ConsoleAuth> {
  const { users, secondFactors, proxyUsers, wall, log } = parts;
  const sessions = createSessions(users, { stored: parts.stored.sessions, wall });
  const tokens = createAccessTokens(users, { stored: parts.stored.accessTokens, wall });
  const attempts = await createAttempts(app);
  const programs = createKnownPrograms(app, wall);
  const listeners: ((session: OpenSession) => void)[] = [];

  app.decorateRequest("visitor", null);
  app.addHook("onRequest", async (request, reply) => {
    // Without a look at the database: a probe is answered while it is away.
    if (isPublic(request)) return;
    const visitor = await identify(request);
    if (visitor !== null && "because" in visitor) {
      const { because: reason } = visitor;
      log.warn({ address: request.raw.socket.remoteAddress, reason }, "a name of a proxy was refused");
      return parts.refuse(request, reply, 403, "That login is not valid", `Nothing was done: ${reason}.`);
    }
    request.visitor = visitor;
    if (visitor === null) return turnAway(request, reply);
    const { access } = request.routeOptions.config;
    switch (decideAccess(access, visitor)) {
      case "Allowed":
        return;
      case "NoSuchRoute":
        // Fastify's own answer to an address that is none.
        if (request.is404) return;
        return parts.refuse(request, reply, 403, "That is not for anybody", "The table of routes lacks it.");
      case "NeedsRole":
        return parts.refuse(request, reply, 403, ...lacksRole(visitor, access));
      case "NeedsScope": {
        const advice = `Its scope is ${visitor.scope}.`;
        return parts.refuse(request, reply, 403, "This token does not open that", advice);
      }
    }
  });

  return {
    opens: async (request, access) => {
      const token = tokenIn(request.headers.authorization);
      const shown = token === null ? null : await tokens.find(token, request.ip);
      if (shown === null) return false;
      return decideAccess(access, { role: shown.user.role, scope: shown.scope }) === "Allowed";
    },
    isStillAllowed: async (request) => {
      const session = request.visitor?.session ?? null;
      if (session !== null) return sessions.isStillOpen(session);
      const found = await identify(request);
      if (found === null || "because" in found) return false;
      return decideAccess(request.routeOptions.config.access, found) === "Allowed";
    },
    onLogout: (listener) => listeners.push(listener),
    login: {
      isDemanded: users.isLoginDemanded,
      tryLogin: async (request, given) => {
        const tried = await judge(request, given);
        if (tried.outcome !== "Right") return tried;
        if (await secondFactors.isOn(tried.user.name)) {
          sessions.remember(request, tried.user);
          return { outcome: "NeedsCode", user: tried.user };
        }
        await sessions.open(request, tried.user);
        return tried;
      },
      tryCode: async (request, code) => {
        const user = await sessions.remembered(request);
        if (user === null) return { outcome: "TooLate" };
        const checked = await secondFactors.check(user.name, code, wall.now());
        if (checked === "Unreadable")
          log.error({ user: user.name }, "a second factor cannot be read: it was sealed with another key");
        if (checked === "Wrong") log.warn({ address: request.ip }, "a code of a second factor was wrong");
        if (checked !== "Right" && checked !== "RightRecovery") return { outcome: checked, user };
        await sessions.open(request, user);
        return { outcome: "Right", user, byRecovery: checked === "RightRecovery" };
      },
      logIn: (request, user) => sessions.open(request, user),
      tryPassword: judge,
      logOut: async (request) => {
        const session = request.visitor?.session ?? null;
        request.session.delete();
        if (session === null) return;
        await sessions.close(session);
        for (const listener of listeners) listener(session);
      },
    },
  };

  /** Null: nobody. `because`: a proxy gave a name that does not count. */
  async function identify(request: FastifyRequest): Promise<Visitor | { readonly because: string } | null> {
    const ofProxy = (await proxyUsers?.userOf(request)) ?? { outcome: "NoName" };
    switch (ofProxy.outcome) {
      case "Refused":
        return ofProxy;
      case "Named":
        return { user: ofProxy.user, role: ofProxy.user.role, session: null, scope: null };
      case "NoName":
        return identifyByLogin(request);
    }
  }

  async function identifyByLogin(request: FastifyRequest): Promise<Visitor | null> {
    if (!(await users.isLoginDemanded()))
      return { user: null, role: parts.roleAtMachine, session: null, scope: null };
    // A token stands for itself: with a cookie beside it, a page of another site could use the reader's.
    const inAddress = tokenInAddress(request);
    const token = tokenIn(request.headers.authorization) ?? inAddress;
    if (token !== null) {
      const shown = await tokens.find(token, request.ip);
      // What opens more than a feed does not belong into an address, which servers and readers keep.
      if (shown === null || (token === inAddress && shown.scope !== "atom")) return null;
      return { ...shown, role: shown.user.role, session: null };
    }
    const found = await sessions.find(request);
    if (found !== null) return { ...found, role: found.user.role, scope: null };
    const basic = basicLogin(request.headers.authorization);
    const user = basic === null ? null : await userOfProgram(request, basic);
    return user === null ? null : { user, role: user.role, session: null, scope: null };
  }

  async function userOfProgram(request: FastifyRequest, basic: GivenLogin): Promise<User | null> {
    // Nobody types a code for a program: with a second factor it uses a token. Not before the password was looked at,
    // which takes as long for every name.
    const usesCodes = ({ name }: User) => secondFactors.isOn(name);
    const user = await users.find(basic.username);
    if (user !== null && (await programs.knows(request, user.credential)))
      return (await usesCodes(user)) ? null : user;
    const tried = await judge(request, basic);
    if (tried.outcome !== "Right") {
      await programs.wasWrong(request, user?.credential ?? "");
      return null;
    }
    if (await usesCodes(tried.user)) return null;
    programs.wasRight(request, tried.user.credential);
    return tried.user;
  }

  async function judge(request: FastifyRequest, { username, password }: GivenLogin): Promise<TriedLogin> {
    return attempts.inTurn(request, async () => {
      const waitMs = await attempts.waitMs(request, username);
      if (waitMs > 0) return { outcome: "TooMany", waitMs };
      const user = await users.withPassword(username, password);
      if (user !== null) return { outcome: "Right", user };
      await attempts.failed(request, username);
      log.warn({ address: request.ip }, "a login failed");
      return { outcome: "Wrong" };
    });
  }
}

/** Feed readers keep an address and nothing else. */
function tokenInAddress({ routeOptions, query }: FastifyRequest): string | null {
  const { access } = routeOptions.config;
  if (typeof access !== "object" || access.scope !== "atom") return null;
  const given: unknown = Reflect.get(Object(query), "token");
  return typeof given === "string" ? given : null;
}

function lacksRole(visitor: Visitor, access: Access | undefined): readonly [string, string] {
  const needed = typeof access === "object" ? access.role : "admin";
  const advice =
    visitor.user === null
      ? "Add one: earshot users add NAME --role admin."
      : "An admin can give you another role.";
  return [`That needs the role ${needed}`, `Nothing was done: ${whyNot(visitor, needed)}. ${advice}`];
}

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
