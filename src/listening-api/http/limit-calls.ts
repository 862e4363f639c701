import type { FastifyInstance } from "fastify";
import type { Clock } from "../../lib/clock.ts";
import { MINUTE, SECOND } from "../../lib/instant.ts";
import { recordCall, untilFewerCalls } from "../store/callers.ts";
import type { Database } from "../store/database.ts";
import { tooManyRequests } from "./api-error.ts";
import { callerOf } from "./authenticate.ts";

/**
 * The budget of a client: a number of calls in any rolling period, shared by all its users and all server processes,
 * from the tags that `/client` shows. A client without the tags has no limit. Refused and invalid calls count too:
 * every answer to a valid token carries the headers.
 */
export function limitCalls(app: FastifyInstance, db: Database, clock: Clock): void {
  app.addHook("onRequest", async (request, reply) => {
    const { client } = callerOf(request);
    const allowed = rateLimitOf(client.tags);
    if (allowed === undefined) return;
    const { limit, minutes } = allowed;
    const call = {
      clientId: client.id,
      at: clock.speed === 1 ? undefined : clock.now(),
      periodMs: minutes * MINUTE,
    };
    const used = await recordCall(db, { ...call, countTo: limit * 2 + 100 });
    reply.headers(rateLimitHeaders(allowed, used));
    if (used <= limit) return;
    const waitMs = (await untilFewerCalls(db, { ...call, limit })) / (clock.speed || 1);
    const detail = `${used} of ${limit} calls in ${minutes} minutes`;
    throw tooManyRequests(detail, Math.max(1, Math.ceil(waitMs / SECOND)));
  });
}

/** What a client may call: so many calls in any rolling time of so many minutes. */
interface RateLimit {
  readonly limit: number;
  readonly minutes: number;
}

/** From the very tags that `/client` shows. A client without them has no limit. */
export function rateLimitOf(tags: Readonly<Record<string, string>>): RateLimit | undefined {
  const limit = wholeNumber(tags["ratelimit.limit"]);
  if (limit === undefined) return undefined;
  return { limit, minutes: wholeNumber(tags["ratelimit.period"]) || DEFAULT_MINUTES };
}

/** What every answer to a client with a limit carries. */
export function rateLimitHeaders({ limit, minutes }: RateLimit, used: number): Record<string, string> {
  return { "x-rate-limit": `${limit}/${minutes}m`, "x-rate-limit-used": String(used) };
}

const DEFAULT_MINUTES = 10;

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}
