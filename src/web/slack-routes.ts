import type { FastifyInstance } from "fastify";
import { PUBLIC } from "./auth/demand-login.ts";

/** Takes what Slack posts when somebody presses a button. */
export interface SlackEndpoint {
  /** Resolves within Slack's patience. Rejects when nothing could be written down: then Slack tells whoever pressed. */
  take(request: SlackPost): Promise<"taken" | "not-signed" | "unfit">;
}

export interface SlackPost {
  /** Byte for byte, for that is what was signed. */
  readonly body: string;
  readonly timestamp: string;
  readonly signature: string;
  /** Who asks, for the log. */
  readonly address: string;
}

/** Where Slack posts presses; it needs no login, for each request is signed. */
export const SLACK_PATH = "/slack/interactions";

/** A press carries the whole message that its button is in. */
const MOST_BYTES = 512 * 1024;

const ANSWERS = { taken: 200, "not-signed": 401, unfit: 400 } as const;

export function slackRoutes(app: FastifyInstance, endpoint: SlackEndpoint): void {
  app.register(async (scope) => {
    // Read before anything is parsed.
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
