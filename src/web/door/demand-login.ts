import { randomBytes } from "node:crypto";
import formbody from "@fastify/formbody";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import type { Clock } from "../../lib/clock.ts";
import { SECOND } from "../../lib/instant.ts";
import type { Logger } from "../../log.ts";
import { loginPage } from "../pages/login.ts";
import type { ConsoleSettings } from "../settings.ts";
import { SLACK_PATH } from "../slack-routes.ts";
import { createAttempts } from "./attempts.ts";
import { readCookie, setCookie } from "./cookies.ts";
import { createSessions, SESSION_MS } from "./sessions.ts";

const Login = z.object({
  username: z.string().max(200),
  password: z.string().max(1000),
  token: z.string().max(200),
  next: z.string().max(2000).catch("/"),
});
const Logout = z.object({ token: z.string().max(200) });

/** Who may ask what. Without a login in the settings everybody on this machine may ask everything. */
export interface Door {
  /** What the form that logs out has to carry; null where there is no login. */
  logoutToken(request: FastifyRequest): string | null;
}

/**
 * Lets only those in who logged in, except to the login itself, what it looks like, and the health of the process.
 * Programs may send the same login as HTTP Basic; it is not asked for that way, so browsers never do.
 */
export async function demandLogin(
  app: FastifyInstance,
  settings: ConsoleSettings,
  parts: { readonly wall: Clock; readonly log: Logger },
): Promise<Door> {
  if (settings.login === undefined) return { logoutToken: () => null };
  const sessions = await createSessions(settings.login, parts.wall);
  const attempts = createAttempts(parts.wall);
  const secure = settings.publicUrl?.startsWith("https:") === true;
  // The prefix keeps other hosts of the domain from planting a cookie; browsers want it secure.
  const [SESSION, FORM] = secure ? ["__Host-earshot", "__Host-earshot-form"] : ["earshot", "earshot-form"];
  await app.register(formbody, { bodyLimit: 10_000 });

  app.addHook("onRequest", async (request, reply) => {
    if (isPublic(request) || sessions.isOpen(readCookie(request, SESSION))) return;
    const basic = basicLogin(request.headers.authorization);
    if (basic !== null && isRightLogin(request, basic)) return;
    if (wantsPage(request)) return reply.redirect(`/login?next=${encodeURIComponent(request.url)}`, 303);
    return reply.code(401).send({ error: "log in first" });
  });

  app.get("/login", async (request, reply) => {
    const { next } = z.object({ next: z.string().max(2000).catch("/") }).parse(request.query);
    return showForm(reply, 200, next, null);
  });

  app.post("/login", async (request, reply) => {
    const form = Login.safeParse(request.body);
    if (!form.success) return reply.code(400).send({ error: "not a login" });
    const { username, password, token, next } = form.data;
    if (!isOwnForm(request) || !sessions.isFormToken(readCookie(request, FORM), token)) {
      return showForm(reply, 403, next, "This form was too old. Please try again.");
    }
    const waitMs = attempts.waitMs(request.ip);
    if (waitMs > 0) {
      const seconds = Math.ceil(waitMs / SECOND);
      reply.header("retry-after", seconds);
      return showForm(reply, 429, next, `Too many attempts. Please wait ${seconds} seconds.`);
    }
    if (!isRightLogin(request, { username, password })) {
      return showForm(reply, 401, next, "That is not the right name and password.");
    }
    setCookie(reply, { name: SESSION, value: sessions.open(), maxAgeS: SESSION_MS / SECOND, secure });
    return reply.redirect(localPath(next), 303);
  });

  app.post("/logout", async (request, reply) => {
    const session = readCookie(request, SESSION);
    const form = Logout.safeParse(request.body);
    if (!form.success || !isOwnForm(request) || !sessions.isFormToken(session, form.data.token)) {
      return reply.code(403).send({ error: "this form was too old" });
    }
    if (session !== undefined) sessions.close(session);
    setCookie(reply, { name: SESSION, value: "", maxAgeS: 0, secure });
    return reply.redirect("/login", 303);
  });

  return {
    logoutToken: (request) => {
      const session = readCookie(request, SESSION);
      return session === undefined ? null : sessions.formToken(session);
    },
  };

  function isRightLogin(request: FastifyRequest, given: { username: string; password: string }): boolean {
    if (attempts.waitMs(request.ip) > 0) return false;
    if (sessions.isLogin(given.username, given.password)) {
      attempts.succeeded(request.ip);
      return true;
    }
    attempts.failed(request.ip);
    parts.log.warn({ address: request.ip }, "a login failed");
    return false;
  }

  async function showForm(reply: FastifyReply, code: number, next: string, fault: string | null) {
    const cookie = randomBytes(16).toString("base64url");
    setCookie(reply, { name: FORM, value: cookie, maxAgeS: 3600, secure });
    return reply
      .code(code)
      .type("text/html; charset=utf-8")
      .send(loginPage({ token: sessions.formToken(cookie), next: localPath(next), fault }).toString());
  }
}

function isPublic(request: FastifyRequest): boolean {
  const path = request.url.split("?", 1)[0] ?? "";
  return (
    path === "/login" ||
    path === "/healthz" ||
    path === "/readyz" ||
    path.startsWith("/assets/") ||
    path.startsWith("/act/") ||
    // Slack signs what it posts.
    path === SLACK_PATH ||
    // Whoever ends a subscription by the link in a mail has no login.
    path.startsWith("/unsubscribe/")
  );
}

/** Browsers say where a form came from; what says nothing is no browser and is stopped by the token. */
export function isOwnForm(request: FastifyRequest): boolean {
  const site = request.headers["sec-fetch-site"];
  return site === undefined || site === "same-origin";
}

function wantsPage(request: FastifyRequest): boolean {
  return (
    request.method === "GET" &&
    request.headers["hx-request"] === undefined &&
    (request.headers.accept ?? "").includes("text/html")
  );
}

/** A path of this console; anything that could lead elsewhere becomes the first page. */
function localPath(next: string): string {
  return /^\/(?![/\\])[\w\-./?=&%~+]*$/.test(next) ? next : "/";
}

function basicLogin(header: string | undefined): { username: string; password: string } | null {
  const [scheme, encoded] = (header ?? "").split(" ", 2);
  if (scheme?.toLowerCase() !== "basic" || encoded === undefined) return null;
  const text = Buffer.from(encoded, "base64").toString("utf8");
  const colon = text.indexOf(":");
  return colon === -1 ? null : { username: text.slice(0, colon), password: text.slice(colon + 1) };
}
