import helmet from "@fastify/helmet";
import type { FastifyInstance } from "fastify";
import { DAY, SECOND } from "../../lib/instant.ts";
import { type ConsoleSettings, isHttps } from "../settings.ts";

/** An email as it was sent, in a sandbox of its own: its styles and embedded pictures work, nothing runs, nothing is fetched. */
export const EMAIL_POLICY = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  "img-src data: cid:",
  "form-action 'none'",
  "frame-ancestors 'self'",
  "sandbox allow-popups allow-popups-to-escape-sandbox",
].join("; ");

/** On every answer: nothing inline, nothing from elsewhere, nobody else's frame, nothing kept. */
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
    // Only this host: others of its domain may well speak plain http.
    hsts: isHttps(settings) ? { maxAge: (365 * DAY) / SECOND, includeSubDomains: false } : false,
    // An origin of several frames, as with emails, cannot keep the promise of this one, and browsers complain.
    originAgentCluster: false,
    // The frames of emails set their own policy, which old browsers would not weigh against this header.
    xFrameOptions: { action: "sameorigin" },
  });
  app.addHook("onRequest", async (_request, reply) => {
    reply.headers({
      "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=()",
      "cache-control": "no-store",
    });
  });
}
