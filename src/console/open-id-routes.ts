import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import type { LoginActions } from "./auth/demand-login.ts";
import type { Forms } from "./auth/forms.ts";
import type { OpenId } from "./auth/open-id.ts";
import type { Users } from "./auth/users.ts";
import { localPath } from "./login-routes.ts";
import { continuePage, openIdFaultPage } from "./pages/login.ts";

export const OPEN_ID_PATH = "/login/oidc";
const CALLBACK_PATH = "/login/oidc/callback";

const Next = z.object({ next: z.string().max(2000).catch("/") });
const Kept = z.object({ state: z.string(), nonce: z.string(), verifier: z.string(), next: z.string() });

/** The way to a provider of OpenID Connect, and back. */
export function openIdRoutes(
  app: FastifyInstance,
  parts: {
    readonly openId: OpenId | null;
    readonly users: Users;
    readonly login: LoginActions;
    readonly forms: Forms;
    readonly publicUrl: string | undefined;
  },
): void {
  const { openId, users, login, forms, publicUrl } = parts;
  const base = (request: FastifyRequest) =>
    publicUrl?.replace(/\/$/, "") ?? `${request.protocol}://${request.host}`;

  app.get(OPEN_ID_PATH, async (request, reply) => {
    if (openId === null) return reply.redirect("/login", 303);
    const { next } = Next.parse(request.query);
    const begun = await openId.begin(`${base(request)}${CALLBACK_PATH}`, localPath(next));
    if (begun === null) return fault(reply, 502, "The login service cannot be reached. Please try again.");
    request.openIdTry.set("kept", begun.kept);
    return reply.redirect(begun.address.href, 303);
  });

  app.get(CALLBACK_PATH, async (request, reply) => {
    const kept = Kept.safeParse(request.openIdTry.get("kept"));
    // Of one use, whatever comes of it.
    request.openIdTry.delete();
    if (openId === null || !kept.success)
      return fault(reply, 403, "This login was not begun in this browser, or took too long.");
    const done = await openId.finish(new URL(request.url, base(request)), kept.data);
    if (done.outcome === "Failed") return fault(reply, 403, "The login service did not confirm this login.");
    const user = done.outcome === "Right" ? await users.find(done.name) : null;
    if (done.outcome === "Refused" || user === null) {
      const because = done.outcome === "Refused" ? done.because : "there is no such user";
      request.noted = { actor: { via: "page", login: null, typed: null }, detail: because };
      return fault(reply, 403, `You are not let in: ${because}. An admin of Earshot can help.`);
    }
    request.noted = { actor: { via: "page", login: user.name, typed: null }, detail: "OpenID Connect" };
    await login.logIn(request, user);
    forms.token(request);
    // No redirect: the browser came from another site, and would not send a strict cookie with it.
    return reply.type(HTML).send(continuePage(localPath(kept.data.next)).toString());
  });

  function fault(reply: FastifyReply, status: number, sentence: string): FastifyReply {
    return reply.code(status).type(HTML).send(openIdFaultPage(sentence).toString());
  }
}

const HTML = "text/html; charset=utf-8";
