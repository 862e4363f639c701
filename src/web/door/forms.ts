import { createHmac, randomBytes } from "node:crypto";
import formbody from "@fastify/formbody";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { HOUR, SECOND } from "../../lib/instant.ts";
import { isSameText } from "../../lib/is-same-text.ts";
import type { ConsoleSettings } from "../settings.ts";
import { readCookie, setCookie } from "./cookies.ts";
import { isOwnForm } from "./demand-login.ts";

/** Forms that only our own pages can send: each carries a token that belongs to a cookie of the same browser. */
export interface Forms {
  /** What a form on the page of this request has to carry. */
  token(request: FastifyRequest): string;
  /** Whether a posted form is one of ours. */
  isOurs(request: FastifyRequest, token: string): boolean;
}

/** Any process with the same secret accepts the forms of the others. */
export async function createForms(
  app: FastifyInstance,
  secret: string,
  settings: ConsoleSettings,
): Promise<Forms> {
  const secure = settings.publicUrl?.startsWith("https:") === true;
  const name = secure ? "__Host-earshot-desk" : "earshot-desk";
  const nonces = new WeakMap<FastifyRequest, string>();
  const sign = (nonce: string) => createHmac("sha256", secret).update(`form ${nonce}`).digest("base64url");
  if (!app.hasContentTypeParser("application/x-www-form-urlencoded")) {
    await app.register(formbody, { bodyLimit: 10_000 });
  }
  app.addHook("onRequest", async (request, reply) => {
    if (request.method !== "GET" || !hasForms(request)) return;
    const known = readCookie(request, name);
    const nonce = known ?? randomBytes(16).toString("base64url");
    nonces.set(request, nonce);
    if (known === undefined) setCookie(reply, { name, value: nonce, maxAgeS: (12 * HOUR) / SECOND, secure });
  });
  return {
    token: (request) => sign(nonces.get(request) ?? ""),
    isOurs: (request, token) => {
      const nonce = readCookie(request, name);
      return nonce !== undefined && isOwnForm(request) && isSameText(token, sign(nonce));
    },
  };
}

function hasForms({ url }: FastifyRequest): boolean {
  const [path = ""] = url.split("?", 1);
  return /^\/alerts\/[^/]+$/.test(path) || path === "/silences" || path === "/inbox";
}
