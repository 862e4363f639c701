import type { FastifyInstance } from "fastify";
import { isLoopback, nameInHost } from "../../lib/loopback.ts";
import type { ConsoleSettings } from "../settings.ts";

/**
 * A console without a login trusts everyone who can reach it. A foreign site could point its own name at 127.0.0.1 and
 * read it (DNS rebinding), so only names of this machine and of the public address are answered.
 */
export function guardHost(app: FastifyInstance, settings: ConsoleSettings): void {
  if (settings.login !== undefined) return;
  const known = settings.publicUrl === undefined ? null : new URL(settings.publicUrl).hostname;
  app.addHook("onRequest", async (request, reply) => {
    const name = nameInHost(request.headers.host);
    if (name !== null && (isLoopback(name) || name === known)) return;
    return reply
      .code(421)
      .type("text/plain; charset=utf-8")
      .send("Earshot does not answer to this host name.\n");
  });
}
