import type { FastifyInstance } from "fastify";
import type { InteractionEndpoint } from "#monitor";
import { boundBodies } from "./auth/bound-bodies.ts";

/** Of all interactions at a time: whether one is genuine is known only when its whole body is here. */
const BODIES_AT_ONCE = 16;

const ANSWERS = { Taken: 200, NotSigned: 401, Unfit: 400 } as const;

/** Where vendors post clicks on buttons of messages. */
export function interactionRoutes(app: FastifyInstance, endpoints: readonly InteractionEndpoint[]): void {
  for (const { path, mostBytes, take } of endpoints)
    app.register(async (scope) => {
      boundBodies(scope, { mostBytes: BODIES_AT_ONCE * mostBytes, whenFull: "EndOldest" });
      // Read the raw body: the signature covers it.
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser("*", { parseAs: "string" }, (_request, body, done) => done(null, body));
      scope.post(path, { bodyLimit: mostBytes }, async (request, reply) => {
        const outcome = await take({
          body: typeof request.body === "string" ? request.body : "",
          header: (name) => {
            const value = request.headers[name];
            return typeof value === "string" ? value : "";
          },
          address: request.ip,
        });
        return reply.code(ANSWERS[outcome]).type("text/plain; charset=utf-8").send("");
      });
    });
}
