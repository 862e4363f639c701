import type { FastifyInstance } from "fastify";
import { isLoopback, nameInHost } from "../../lib/listening.ts";
import { oauthError } from "../parameters/api-error.ts";

/**
 * Refuses foreign host names while the server listens on the loopback address: a web page can point a name of its own
 * at 127.0.0.1 and then read along (DNS rebinding). `allowed`: names under which a proxy on this machine forwards. Call
 * the returned function with the address that the server is bound to, in any form: `127.1` and names of the machine's
 * own list are this machine, too. Until then it guards.
 */
export function guardHost(app: FastifyInstance, allowed: readonly string[]): (host: string) => void {
  let guards = true;
  const known = new Set(allowed.map((name) => name.toLowerCase()));
  app.addHook("onRequest", async (request) => {
    if (!guards) return;
    // HTTP/1.0 need not name a host; a browser always does.
    if (request.headers.host === undefined && request.raw.httpVersion === "1.0") return;
    const name = nameInHost(request.headers.host);
    if (name !== null && (isLoopback(name) || known.has(name))) return;
    throw oauthError(
      421,
      "misdirected_request",
      "This server answers to names of its own machine only; ask for localhost.",
    );
  });
  return (host) => {
    guards = isLoopback(host);
  };
}
