import { setTimeout as delay } from "node:timers/promises";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { SECOND } from "../../lib/instant.ts";
import { hashToken, readToken } from "../http/authenticate.ts";
import { rateLimitHeaders, rateLimitOf } from "../http/limit-calls.ts";
import { ApiError, errorsBody, invalidRequest } from "../parameters/api-error.ts";
import { findCaller } from "../store/callers.ts";
import type { Database } from "../store/database.ts";
import { amountOf, FAULT_HEADER } from "../store/fault-kinds.ts";
import { revokeTokens } from "../store/logins.ts";
import type { FaultSwitch } from "./fault-switch.ts";

/** Faults before a call is answered: it waits, is refused, or loses its token or its connection. */
export function disturbCalls(app: FastifyInstance, faults: FaultSwitch, db: Database): void {
  const closing = new AbortController();
  app.addHook("preClose", async () => closing.abort());
  app.addHook("onRequest", async (request, reply) => {
    const call = faults.current();
    if (call === null) return;
    const slow = await call.take("slow");
    if (slow) await delay(amountOf(slow), undefined, { signal: closing.signal }).catch(() => {});
    const token = readToken(request);
    if (token !== undefined && (await call.take("token-revoked")))
      await revokeTokens(db, { hash: hashToken(token) });
    const refused = await call.take("429", "500", "502", "503", "dropped");
    if (refused?.kind === "dropped") return hangUp(request, reply);
    if (refused?.kind === "429") return refuseForLimit(db, request, reply, refused);
    if (refused) return refuse(reply, refused.kind);
    if (carriesCursor(request) && (await call.take("cursor-refused")))
      throw invalidRequest("cursor: this cursor is no longer valid, begin again without one.");
  });
}

function hangUp(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.hijack();
  request.raw.destroy();
  return reply;
}

/** As if the budget of the client were used up: the client's own one, so that the headers stay correct. */
async function refuseForLimit(
  db: Database,
  request: FastifyRequest,
  reply: FastifyReply,
  { amount }: { readonly amount: number | null },
): Promise<FastifyReply> {
  const token = readToken(request);
  const caller = token === undefined ? undefined : await findCaller(db, hashToken(token));
  const allowed = caller === undefined ? undefined : rateLimitOf(caller.client.tags);
  // Programs that count calls by these headers can distinguish it from a real refusal.
  reply.header(FAULT_HEADER, "429");
  if (amount !== null) reply.header("retry-after", String(Math.ceil(amount / SECOND)));
  if (allowed === undefined) return reply.code(429).send(errorsBody("rate limit exceeded"));
  const { limit, minutes } = allowed;
  return reply
    .headers(rateLimitHeaders(allowed, limit + 1))
    .code(429)
    .send(errorsBody(`rate limit exceeded: ${limit + 1} of ${limit} calls in ${minutes} minutes`));
}

function refuse(reply: FastifyReply, kind: string): FastifyReply {
  switch (kind) {
    case "502":
      return reply.code(502).type("text/html").send(GATEWAY_PAGE);
    case "503":
      return reply.code(503).send();
    default:
      throw new ApiError(500, { error: "internal_error", error_description: "An internal error occurred." });
  }
}

const GATEWAY_PAGE =
  "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n</body>\r\n</html>\r\n";

function carriesCursor(request: FastifyRequest): boolean {
  return (request.query as Record<string, unknown>)["cursor"] !== undefined;
}
