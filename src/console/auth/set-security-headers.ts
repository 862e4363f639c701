import helmet from "@fastify/helmet";
import type { FastifyInstance } from "fastify";
import { DAY, SECOND } from "../../lib/instant.ts";
import { isLoopback, nameInHost } from "../../lib/listening.ts";
import { type ConsoleSettings, isHttps } from "../common/settings.ts";
import type { Users } from "./users.ts";

/**
 * A console without a login trusts everyone who can reach it. A foreign site could point its own name at 127.0.0.1 and
 * read it (DNS rebinding), so only names of this machine and of the public address are answered.
 */
export function guardHost(
  app: FastifyInstance,
  settings: ConsoleSettings,
  users: Pick<Users, "isLoginDemanded">,
): void {
  const known = settings.publicUrl === undefined ? null : new URL(settings.publicUrl).hostname;
  app.addHook("onRequest", async (request, reply) => {
    const name = nameInHost(request.headers.host);
    if (name !== null && (isLoopback(name) || name === known)) return;
    if (await users.isLoginDemanded()) return;
    return reply
      .code(421)
      .type("text/plain; charset=utf-8")
      .send("Earshot does not answer to this host name.\n");
  });
}

/** For a sent email in its sandbox: styles and embedded pictures work; nothing runs and nothing is fetched. */
export const EMAIL_POLICY = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  "img-src data: cid:",
  "form-action 'none'",
  "frame-ancestors 'self'",
  "sandbox allow-popups allow-popups-to-escape-sandbox",
].join("; ");

/** On every answer: no inline scripts or styles, nothing from other hosts, no foreign frames, no caching. */
export async function setSecurityHeaders(app: FastifyInstance, settings: ConsoleSettings): Promise<void> {
  await app.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'"],
        "connect-src": ["'self'"],
        "frame-src": ["'self'"],
        "form-action": ["'self'"],
        "base-uri": ["'none'"],
        "frame-ancestors": ["'none'"],
      },
    },
    // Only this host: others of its domain may use plain http.
    hsts: isHttps(settings) ? { maxAge: (365 * DAY) / SECOND, includeSubDomains: false } : false,
    // An origin with several frames, as with emails, cannot satisfy this header, and browsers warn.
    originAgentCluster: false,
    // Email frames set their own policy; old browsers would let this header win.
    xFrameOptions: { action: "sameorigin" },
  });
  app.addHook("onRequest", async (_request, reply) => {
    reply.headers({
      "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=()",
      "cache-control": "no-store",
    });
  });
}
