import type { FastifyInstance } from "fastify";
import { SLACK_PATH, type SlackEndpoint } from "#monitor";
import { boundBodies } from "./auth/bound-bodies.ts";
import { PUBLIC } from "./auth/demand-login.ts";

/** An interaction carries the whole message of its button: 13,000 characters, up to nine bytes each in a form. */
const MOST_BYTES = 256 * 1024;
/** Of all interactions at a time: the signature is known only when a whole body is here. */
const MOST_BYTES_AT_ONCE = 16 * MOST_BYTES;

const ANSWERS = { taken: 200, "not-signed": 401, unfit: 400 } as const;

export function slackRoutes(app: FastifyInstance, endpoint: SlackEndpoint): void {
  app.register(async (scope) => {
    boundBodies(scope, { mostBytes: MOST_BYTES_AT_ONCE, whenFull: "EndOldest" });
    // Read the raw body: the signature covers it.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", { parseAs: "string" }, (_request, body, done) => done(null, body));
    scope.post(SLACK_PATH, { bodyLimit: MOST_BYTES, config: PUBLIC }, async (request, reply) => {
      const taken = await endpoint.take({
        body: typeof request.body === "string" ? request.body : "",
        timestamp: header(request.headers["x-slack-request-timestamp"]),
        signature: header(request.headers["x-slack-signature"]),
        address: request.ip,
      });
      return reply.code(ANSWERS[taken]).type("text/plain; charset=utf-8").send("");
    });
  });
}

function header(value: string | string[] | undefined): string {
  return typeof value === "string" ? value : "";
}
