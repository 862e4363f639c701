import type { FastifyInstance } from "fastify";
import type { Clock } from "../../lib/clock.ts";
import { MINUTE, SECOND } from "../../lib/instant.ts";
import { tooManyRequests } from "../parameters/api-error.ts";
import { type Budget, recordCall, untilFewerCalls } from "../store/callers.ts";
import type { Database } from "../store/database.ts";
import { callerOf } from "./authenticate.ts";

/**
 * Two budgets: a number of calls in any rolling period, shared by all server processes. That of a client is shared by
 * all its users and comes from the tags that `/client` shows; that of a login comes from its account. Without one there is
 * no limit. Refused and invalid calls count too: every answer to a valid token carries the headers. A login that is over
 * its own limit takes nothing from its client's.
 */
export function limitCalls(app: FastifyInstance, db: Database, clock: Clock): void {
  app.addHook("onRequest", async (request, reply) => {
    const { client, user } = callerOf(request);
    const ofLogin = readRateLimit(user.rateLimit);
    if (ofLogin !== undefined) {
      const refused = await spend({ of: "login", id: user.id }, ofLogin, (used) =>
        reply.headers(rateLimitHeaders(ofLogin, used, "-login")),
      );
      if (refused !== undefined) throw refused;
    }
    const ofClient = rateLimitOf(client.tags);
    if (ofClient === undefined) return;
    const refused = await spend({ of: "client", id: client.id }, ofClient, (used) =>
      reply.headers(rateLimitHeaders(ofClient, used)),
    );
    if (refused !== undefined) throw refused;
  });

  /** Gives the 429 of a call that is one too many. */
  async function spend(
    budget: Budget,
    { limit, minutes }: RateLimit,
    report: (used: number) => void,
  ): Promise<Error | undefined> {
    const call = { at: clock.speed === 1 ? undefined : clock.now(), periodMs: minutes * MINUTE };
    const used = await recordCall(db, budget, { ...call, countTo: limit * 2 + 100 });
    report(used);
    if (used <= limit) return undefined;
    const waitMs = (await untilFewerCalls(db, budget, { ...call, limit })) / (clock.speed || 1);
    const detail = `${used} of ${limit} calls of this ${budget.of} in ${minutes} minutes`;
    return tooManyRequests(detail, Math.max(1, Math.ceil(waitMs / SECOND)));
  }
}

/** What a client or a login may call: so many calls in any rolling time of so many minutes. */
interface RateLimit {
  readonly limit: number;
  readonly minutes: number;
}

/** `60/1`, as an account file has it. */
function readRateLimit(text: string | undefined): RateLimit | undefined {
  const [limit, minutes] = (text ?? "").split("/").map(wholeNumber);
  return limit === undefined || minutes === undefined ? undefined : { limit, minutes };
}

/** From the very tags that `/client` shows. A client without them has no limit. */
export function rateLimitOf(tags: Readonly<Record<string, string>>): RateLimit | undefined {
  const limit = wholeNumber(tags["ratelimit.limit"]);
  if (limit === undefined) return undefined;
  return { limit, minutes: wholeNumber(tags["ratelimit.period"]) || DEFAULT_MINUTES };
}

/** What every answer under a limit carries. */
export function rateLimitHeaders(
  { limit, minutes }: RateLimit,
  used: number,
  whose: "" | "-login" = "",
): Record<string, string> {
  return { [`x-rate-limit${whose}`]: `${limit}/${minutes}m`, [`x-rate-limit${whose}-used`]: String(used) };
}

const DEFAULT_MINUTES = 10;

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}
