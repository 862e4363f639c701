import csrfProtection from "@fastify/csrf-protection";
import formbody from "@fastify/formbody";
import type { FastifyInstance, FastifyRequest, preHandlerHookHandler } from "fastify";
import { z } from "zod";
import type { ConsoleSettings } from "../settings.ts";

/** Forms that only our own pages can send: each carries a token that belongs to the session cookie of the same browser. */
export interface Forms {
  /** What a form on the page of this request has to carry, as `token`. Sets a cookie where there is none. */
  token(request: FastifyRequest): string;
  /** Before the handler of a form: answers 403 to one that is not ours. */
  readonly check: readonly preHandlerHookHandler[];
}

declare module "fastify" {
  interface FastifyRequest {
    formToken: () => string;
  }
}

const Posted = z.object({ token: z.string() });

/** Wants the cookies to be open. Any process with the same secret accepts the forms of the others. */
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
        if (!isOwnForm(request, publicHost)) throw new ForeignFormError();
      },
      app.csrfProtection as preHandlerHookHandler,
    ],
  };
}

class ForeignFormError extends Error {
  readonly statusCode = 403;
}

/**
 * Browsers say where a form came from; what says nothing is no browser and is stopped by the token. Our own forms send
 * `Origin: null`, for our pages name themselves to nobody.
 */
function isOwnForm({ headers, host }: FastifyRequest, publicHost: string | null): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin") return false;
  const { origin } = headers;
  if (origin === undefined || origin === "null") return true;
  const from = URL.canParse(origin) ? new URL(origin).host : null;
  return from !== null && (from === host || from === publicHost);
}
