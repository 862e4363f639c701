import type { FastifyInstance, FastifyRequest } from "fastify";
import { callerOf, readToken } from "../http/authenticate.ts";
import { hashToken } from "../http/token.ts";
import { parametersOf } from "../http/unknown-parameters.ts";
import type { LocalApiContext } from "../local-api-context.ts";
import { clientRecord, meRecord, userRecord } from "../records/account-records.ts";
import { findOwner } from "../store/accounts.ts";
import { revokeTokens } from "../store/tokens.ts";

/** GET /client and GET /me, and the two addresses to which /me links: GET /user, and GET or POST /logout. */
export function accountRoutes(app: FastifyInstance, { db }: LocalApiContext): void {
  app.get("/client", async (request) => {
    const { client } = callerOfPlainCall(request);
    return clientRecord(client, await findOwner(db, client.id));
  });
  app.get("/me", async (request) => meRecord(callerOfPlainCall(request)));
  app.get("/user", async (request) => userRecord(callerOfPlainCall(request)));
  app.route({
    method: ["GET", "POST"],
    url: "/logout",
    exposeHeadRoute: false,
    handler: async (request) => {
      callerOfPlainCall(request);
      const token = readToken(request);
      if (token !== undefined) await revokeTokens(db, { hash: hashToken(token) });
      return {};
    },
  });
}

/** Of a call that takes no parameters. */
function callerOfPlainCall(request: FastifyRequest) {
  parametersOf(request).finish();
  return callerOf(request);
}
