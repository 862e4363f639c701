import type { FastifyInstance } from "fastify";
import { readJson } from "../lib/json.ts";
import { PUBLIC } from "./auth/demand-login.ts";

/** Takes mentions that other programs post. */
export interface PushReceiver {
  /** Never rejects. */
  take(token: string, body: unknown): Promise<{ readonly status: number; readonly body: object }>;
}

/** Other programs post mentions here; no login, because each request shows the token of a push feed. */
export const PUSH_PATH = "/feeds/push";

const MOST_BYTES = 8 * 1024 * 1024;

export function pushRoutes(app: FastifyInstance, receiver: PushReceiver): void {
  app.register(async (scope) => {
    // Senders often forget the type of the content: whatever they say, it is JSON.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", { parseAs: "string" }, (_request, body, done) => done(null, body));
    scope.post(PUSH_PATH, { bodyLimit: MOST_BYTES, config: PUBLIC }, async (request, reply) => {
      const [, token = ""] = /^Bearer\s+(\S+)$/i.exec(request.headers.authorization ?? "") ?? [];
      const body = typeof request.body === "string" ? readJson(request.body) : undefined;
      const answer =
        body === undefined
          ? { status: 400, body: { errors: [{ message: "the body is no JSON" }] } }
          : await receiver.take(token, body);
      if (answer.status === 401) reply.header("www-authenticate", 'Bearer realm="push"');
      return reply.code(answer.status).send(answer.body);
    });
  });
}
