import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Actor, AuditEntry, Stores } from "#monitor";
import type { Clock } from "../../lib/clock.ts";
import { describeError } from "../../lib/errors.ts";
import { MINUTE } from "../../lib/instant.ts";
import type { Logger } from "../../lib/log.ts";
import { AUDITED } from "./access.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** What a handler adds to the entry of the audit log: to what it was done, and what changed. */
    noted: Partial<Pick<AuditEntry, "target" | "detail" | "actor">>;
  }
}

/** Entries of strangers, such as wrong logins: more of them in a minute are only counted. */
const MOST_OF_STRANGERS = 120;

/**
 * Writes an entry of the audit log for every request that changes something or tried to, before it is answered. If that
 * fails, the log of the process says so: what was done is done.
 */
export function keepAudit(
  app: FastifyInstance,
  { audit, wall, log }: { readonly audit: Stores["audit"]; readonly wall: Clock; readonly log: Logger },
): void {
  let ofStrangers = { since: 0, count: 0 };
  const isFlood = (): boolean => {
    const now = wall.now();
    if (now - ofStrangers.since >= MINUTE || now < ofStrangers.since) ofStrangers = { since: now, count: 0 };
    ofStrangers.count++;
    if (ofStrangers.count === MOST_OF_STRANGERS + 1)
      log.warn(
        { most: MOST_OF_STRANGERS },
        "strangers try too much for the audit log: the rest of this minute is left out",
      );
    return ofStrangers.count > MOST_OF_STRANGERS;
  };

  app.decorateRequest("noted");
  app.addHook("onRequest", async (request) => {
    request.noted = {};
  });
  app.addHook("onSend", async (request, reply) => {
    const action = AUDITED[`${request.method} ${request.routeOptions.url}`];
    if (action === undefined) return;
    const actor = request.noted.actor ?? (request.visitor === null ? null : actorOf(request));
    // Somebody who is not logged in was sent away, and did nothing; a wait is no try.
    if (actor === null || reply.statusCode === 429) return;
    if (request.visitor === null && outcomeOf(reply) !== "Done" && isFlood()) return;
    try {
      await audit.add({
        ...{ at: wall.now(), actor, role: request.visitor?.role ?? null, origin: request.ip, action },
        target: request.noted.target ?? "",
        outcome: outcomeOf(reply),
        detail: request.noted.detail ?? "",
      });
    } catch (error) {
      log.error({ action, actor, error: describeError(error) }, "an entry of the audit log was not stored");
    }
  });
}

/** Who acts on the console: by the login, and by the name that was typed where there is none. */
export function actorOf({ visitor }: FastifyRequest, typed = ""): Actor {
  return { via: "page", login: visitor?.user?.name ?? null, typed: typed === "" ? null : typed };
}

function outcomeOf({ statusCode }: FastifyReply): AuditEntry["outcome"] {
  return statusCode < 400 ? "Done" : statusCode < 500 ? "Refused" : "Failed";
}
