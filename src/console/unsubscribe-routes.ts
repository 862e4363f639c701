import type { FastifyInstance, FastifyReply } from "fastify";
import { z } from "zod";
import type { Subscription, Unsubscribing } from "#monitor";
import type { Logger } from "../lib/log.ts";
import { unsubscribePage } from "./pages/unsubscribe.ts";

const Token = z.object({ "*": z.string().max(2_000) });
const Question = z.object({ undo: z.string().optional().catch(undefined) });

/**
 * Ends subscriptions by the links in mails. A GET only asks, because mail programs and scanners fetch links by
 * themselves; a POST ends it, without a login, cookie or page in between (RFC 8058).
 */
export function unsubscribeRoutes(app: FastifyInstance, unsubscribing: Unsubscribing, log: Logger): void {
  app.register(async (scope) => {
    // Mail programs post a form of either type. Its content is not needed: the address has everything.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", { parseAs: "string" }, (_request, _body, done) => done(null, null));

    // A wildcard, because a named path parameter may have only 100 characters.
    scope.get("/unsubscribe/*", async (request, reply) => {
      const { "*": token } = Token.parse(request.params);
      return show(reply, token, await unsubscribing.find(token));
    });
    scope.post("/unsubscribe/*", async (request, reply) => {
      const { "*": token } = Token.parse(request.params);
      const { undo } = Question.parse(request.query);
      const subscription = await unsubscribing.set(token, undo === "yes");
      if (subscription !== null) log.info(subscription, "a subscription to a digest was changed");
      return show(reply, token, subscription);
    });
  });
}

function show(reply: FastifyReply, token: string, subscription: Subscription | null): FastifyReply {
  return reply
    .code(subscription === null ? 404 : 200)
    .type("text/html; charset=utf-8")
    .send(unsubscribePage(token, subscription).toString());
}
