import csrfProtection from "@fastify/csrf-protection";
import formbody from "@fastify/formbody";
import type { FastifyInstance, FastifyRequest, preHandlerHookHandler } from "fastify";
import { z } from "zod";
import { parseUrl } from "../../lib/parse-url.ts";
import type { ConsoleSettings } from "../common/settings.ts";

/** Forms that only our own pages can send: each carries a token bound to the session cookie of the same browser. */
export interface Forms {
  /** The `token` for forms on the page of this request. Sets the cookie if there is none. */
  token(request: FastifyRequest): string;
  /** Runs before the handler of a form; answers 403 to a form that is not ours. A program shows its token instead. */
  readonly check: readonly preHandlerHookHandler[];
}

declare module "fastify" {
  interface FastifyRequest {
    formToken: () => string;
  }
}

const Posted = z.object({ token: z.string() });

/** Needs the cookies to be decrypted. Any process with the same secret accepts the forms of the others. */
export async function protectForms(app: FastifyInstance, settings: ConsoleSettings): Promise<Forms> {
  await app.register(formbody, { bodyLimit: 10_000 });
  await app.register(csrfProtection, {
    sessionPlugin: "@fastify/secure-session",
    getToken: ({ body }) => Posted.safeParse(body).data?.token,
  });
  app.decorateRequest("formToken");
  app.addHook("onRequest", async (request, reply) => {
    request.formToken = () => reply.generateCsrf();
  });
  const publicHost = settings.publicUrl === undefined ? null : new URL(settings.publicUrl).host;
  return {
    token: (request) => request.formToken(),
    check: [
      async (request) => {
        if (!isByToken(request) && !isOwnForm(request, publicHost)) throw new ForeignFormError();
      },
      function (request, reply, done) {
        if (isByToken(request)) done();
        else (app.csrfProtection as preHandlerHookHandler).call(this, request, reply, done);
      },
    ],
  };
}

/** No browser sends a token by itself, so no other site can make one send it. */
function isByToken({ visitor }: FastifyRequest): boolean {
  return visitor !== null && visitor.scope !== null;
}

class ForeignFormError extends Error {
  readonly statusCode = 403;
}

/**
 * Browsers send the origin of a form; a request without one comes from no browser, and the token stops it. Our own
 * forms send `Origin: null`, because our pages send no referrer.
 */
function isOwnForm({ headers, host }: FastifyRequest, publicHost: string | null): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin") return false;
  const { origin } = headers;
  if (origin === undefined || origin === "null") return true;
  const from = parseUrl(origin)?.host ?? null;
  return from !== null && (from === host || from === publicHost);
}
