import type { FastifyInstance, FastifyRequest } from "fastify";
import { z } from "zod";
import { atMost } from "../lib/concurrency.ts";
import { readJson } from "../lib/json.ts";
import { tokenIn } from "./auth/access-tokens.ts";
import { boundBodies } from "./auth/bound-bodies.ts";
import type { ConsoleAuth } from "./auth/demand-login.ts";

/** Takes mentions that other programs post. */
export interface PushReceiver {
  /** Whether a push feed has this token. */
  knows(token: string): boolean;
  /** Never rejects. */
  take(token: string, body: unknown): Promise<PushAnswer>;
  /** For somebody who may post: `feed` names one of several; null is enough where there is one. Never rejects. */
  takeFor(feed: string | null, body: unknown): Promise<PushAnswer>;
}

interface PushAnswer {
  readonly status: number;
  readonly body: object;
}

/** Other programs post mentions here; each request shows the token of a push feed, or one of a user with the scope push. */
const PUSH_PATH = "/feeds/push";

/** Of one post: on the loop that also polls, reading this much JSON of any shape takes at most some 100 ms. */
const MOST_BYTES = 1024 * 1024;
/** Of all posts that arrive, wait and are read. */
const MOST_BYTES_AT_ONCE = 4 * MOST_BYTES;
/** Read and stored at a time: JSON takes ten times its length while it is read. */
const MOST_READ_AT_ONCE = 4;

/** What a token of a user needs to post mentions. */
const MAY_PUSH = { role: "responder", scope: "push" } as const;

export function pushRoutes(
  app: FastifyInstance,
  receiver: PushReceiver,
  auth: Pick<ConsoleAuth, "opens">,
): void {
  app.register(async (scope) => {
    const turns = atMost(MOST_READ_AT_ONCE, 1_000);
    // Before a byte of the body: without a token, nobody makes this process hold or read anything.
    scope.addHook("onRequest", async (request, reply) => {
      if (receiver.knows(tokenOf(request)) || (await auth.opens(request, MAY_PUSH))) return;
      return reply
        .code(401)
        .headers({ "www-authenticate": 'Bearer realm="push"', connection: "close" })
        .send(
          faults("show the token of a push feed, or one with the scope push: Authorization: Bearer TOKEN"),
        );
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
        const token = tokenOf(request);
        const { feed } = Named.parse(request.query);
        const answer = receiver.knows(token)
          ? await receiver.take(token, body)
          : await receiver.takeFor(feed, body);
        return reply.code(answer.status).send(answer.body);
      }),
    );
  });
}

const Named = z.object({ feed: z.string().max(200).nullable().catch(null) });

function tokenOf({ headers }: FastifyRequest): string {
  return tokenIn(headers.authorization) ?? "";
}

function faults(message: string) {
  return { errors: [{ message }] };
}
