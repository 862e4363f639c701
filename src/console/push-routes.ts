import type { FastifyInstance, FastifyRequest } from "fastify";
import { atMost } from "../lib/concurrency.ts";
import { readJson } from "../lib/json.ts";
import { boundBodies } from "./auth/bound-bodies.ts";

/** Takes mentions that other programs post. */
export interface PushReceiver {
  /** Whether a push feed has this token. */
  knows(token: string): boolean;
  /** Never rejects. */
  take(token: string, body: unknown): Promise<{ readonly status: number; readonly body: object }>;
}

/** Other programs post mentions here; no login, because each request shows the token of a push feed. */
export const PUSH_PATH = "/feeds/push";

/** Of one post: on the loop that also polls, reading this much JSON of any shape takes at most some 100 ms. */
const MOST_BYTES = 1024 * 1024;
/** Of all posts that arrive, wait and are read. */
const MOST_BYTES_AT_ONCE = 4 * MOST_BYTES;
/** Read and stored at a time: JSON takes ten times its length while it is read. */
const MOST_READ_AT_ONCE = 4;

export function pushRoutes(app: FastifyInstance, receiver: PushReceiver): void {
  app.register(async (scope) => {
    const turns = atMost(MOST_READ_AT_ONCE, 1_000);
    // Before a byte of the body: without a token, nobody makes this process hold or read anything.
    scope.addHook("onRequest", async (request, reply) => {
      if (receiver.knows(tokenOf(request))) return;
      return reply
        .code(401)
        .headers({ "www-authenticate": 'Bearer realm="push"', connection: "close" })
        .send(faults("show the token of a push feed: Authorization: Bearer TOKEN"));
    });
    boundBodies(scope, { mostBytes: MOST_BYTES_AT_ONCE, whenFull: "Refuse" });
    scope.setErrorHandler<Error & { statusCode?: number }>((error, request, reply) => {
      if (error.statusCode !== 413) return app.errorHandler(error, request, reply);
      return reply
        .code(413)
        .header("connection", "close")
        .send(faults(`a post has at most ${MOST_BYTES} bytes (1 MB): send fewer mentions at a time`));
    });
    // Senders often forget the type of the content: whatever they say, it is JSON.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", { parseAs: "string" }, (_request, body, done) => done(null, body));
    scope.post(PUSH_PATH, { bodyLimit: MOST_BYTES }, (request, reply) =>
      turns(async () => {
        const body = typeof request.body === "string" ? readJson(request.body) : undefined;
        if (body === undefined) return reply.code(400).send(faults("the body is no JSON"));
        const answer = await receiver.take(tokenOf(request), body);
        return reply.code(answer.status).send(answer.body);
      }),
    );
  });
}

function tokenOf({ headers }: FastifyRequest): string {
  return /^Bearer\s+(\S+)$/i.exec(headers.authorization ?? "")?.[1] ?? "";
}

function faults(message: string) {
  return { errors: [{ message }] };
}
