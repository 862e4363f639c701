import type { FastifyInstance, FastifyRequest } from "fastify";
import { z } from "zod";
import { codeOf } from "../lib/errors.ts";
import { boundBodies } from "./auth/bound-bodies.ts";

/** Takes what the hubs of feeds say and push (WebSub). Nothing of it rejects. */
export interface HubReceiver {
  refuse(id: string): Promise<{ readonly status: number; readonly body: string } | null>;
  verify(id: string, question: unknown): Promise<{ readonly status: number; readonly body: string }>;
  take(
    id: string,
    pushed: {
      readonly bytes: Uint8Array<ArrayBuffer>;
      readonly contentType: string | null;
      readonly signature: string | null;
    },
  ): Promise<{ readonly status: number; readonly body: string }>;
  fetchInstead(id: string): Promise<void>;
}

/** Of one document that is pushed; what is larger is fetched instead. */
const MOST_BYTES = 5 * 1024 * 1024;
const MOST_BYTES_AT_ONCE = 2 * MOST_BYTES;

/** Strangers on the internet call here. Who does not know the id of a subscription sends no byte of a body. */
export function hubRoutes(app: FastifyInstance, hubs: HubReceiver): void {
  app.register(async (scope) => {
    scope.addHook("onRequest", async (request, reply) => {
      const refused = await hubs.refuse(idOf(request));
      if (refused === null) return;
      return reply.code(refused.status).header("connection", "close").type(PLAIN).send(refused.body);
    });
    scope.addHook("onError", async (request, _reply, error) => {
      if (codeOf(error) === "FST_ERR_CTP_BODY_TOO_LARGE") await hubs.fetchInstead(idOf(request));
    });
    boundBodies(scope, { mostBytes: MOST_BYTES_AT_ONCE, whenFull: "Refuse" });
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
    scope.get("/feeds/websub/:id", async (request, reply) => {
      const { status, body } = await hubs.verify(idOf(request), request.query);
      return reply.code(status).type(PLAIN).send(body);
    });
    scope.post("/feeds/websub/:id", { bodyLimit: MOST_BYTES }, async (request, reply) => {
      const { headers, body } = request;
      const signature = headers["x-hub-signature"];
      const answer = await hubs.take(idOf(request), {
        bytes: Buffer.isBuffer(body) ? new Uint8Array(body) : new Uint8Array(),
        contentType: headers["content-type"] ?? null,
        signature: typeof signature === "string" ? signature : null,
      });
      return reply.code(answer.status).type(PLAIN).send(answer.body);
    });
  });
}

const PLAIN = "text/plain; charset=utf-8";

function idOf({ params }: FastifyRequest): string {
  return z
    .object({ id: z.string().max(100) })
    .catch({ id: "" })
    .parse(params).id;
}
