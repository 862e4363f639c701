import { randomUUID } from "node:crypto";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { sha256 } from "../../lib/hashes.ts";
import { forbidden, unauthorized } from "../parameters/api-error.ts";
import { type Caller, findCaller } from "../store/callers.ts";
import type { LocalApiContext } from "./local-api-context.ts";

/** Adds the hook that demands a token, in the header or as a parameter, and stores the caller. */
export function authenticate(
  app: FastifyInstance,
  { db, refusedLogins }: Pick<LocalApiContext, "db" | "refusedLogins">,
): void {
  app.decorateRequest("caller", null);
  app.addHook("onRequest", async (request) => {
    const token = readToken(request);
    if (token === undefined) throw unauthorized("An access token is required to use this resource.");
    const caller = await findCaller(db, hashToken(token));
    // The words by which clients recognise a token that is no good. The token itself is not repeated.
    if (caller === undefined || refusedLogins.has(caller.user.username))
      throw unauthorized("Invalid access token");
    if (!mayUseApi(caller.role)) throw forbidden(ONLY_REGULAR_AND_ADMIN);
    request.setDecorator("caller", caller);
  });
}

/** The caller. Only inside what `authenticate` guards. */
export function callerOf(request: FastifyRequest): Caller {
  return request.getDecorator<Caller>("caller");
}

/** The token that was sent; a header goes before a parameter. */
export function readToken(request: FastifyRequest): string | undefined {
  const header = /^bearer\s+(\S+)\s*$/i.exec(request.headers.authorization ?? "")?.[1];
  if (header !== undefined) return header;
  const parameter = (request.query as Record<string, unknown>)["access_token"];
  return typeof parameter === "string" && parameter !== "" ? parameter : undefined;
}

const ROLES_WITH_API = ["Regular", "Admin"] as const;

/** Only these two roles can use the API; all others are refused. */
export function mayUseApi(role: string): boolean {
  return ROLES_WITH_API.some((allowed) => allowed === role);
}

export const ONLY_REGULAR_AND_ADMIN = "Only users with the role Regular or Admin can use the API.";

/** A new bearer token: 122 random bits in the form of a UUID. */
export function createToken(): string {
  return randomUUID();
}

/** What is stored of a token. It is random already, so a plain hash needs no salt. */
export function hashToken(token: string): Buffer {
  return sha256(token);
}
