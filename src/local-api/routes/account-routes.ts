import type { FastifyInstance } from "fastify";
import { callerOf } from "../http/authenticate.ts";
import { createParameterReader, type RawParameters } from "../parameters/parameter-reader.ts";
import { clientRecord } from "../records/client-record.ts";
import { meRecord } from "../records/me-record.ts";

/** GET /client and GET /me. */
export function accountRoutes(app: FastifyInstance): void {
  app.get<{ Querystring: RawParameters }>("/client", (request, reply) => {
    createParameterReader(request.query).finish();
    const { client, user } = callerOf(request);
    return reply.send(clientRecord(client, user.username));
  });
  app.get<{ Querystring: RawParameters }>("/me", (request, reply) => {
    createParameterReader(request.query).finish();
    return reply.send(meRecord(callerOf(request)));
  });
}
