import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import type { StoredUser, Stores } from "#monitor";
import type { Clock } from "../lib/clock.ts";
import type { LoginActions } from "./auth/demand-login.ts";
import type { Forms } from "./auth/forms.ts";
import { acceptInvitation, invitedBy } from "./auth/invitations.ts";
import { invitationGonePage, invitationPage } from "./pages/invitation.ts";

const Params = z.object({ code: z.string().max(100) });
const Posted = z.object({ password: z.string().max(2_000) });

/** The link of an invitation. A GET only asks, because mail programs and scanners fetch links by themselves. */
export function invitationRoutes(
  app: FastifyInstance,
  parts: {
    readonly stores: Stores;
    readonly login: LoginActions;
    readonly forms: Forms;
    readonly wall: Clock;
  },
): void {
  const { stores, login, forms, wall } = parts;
  const how = () => ({ stores, now: wall.now() });

  app.get("/invitations/:code", async (request, reply) => {
    const user = await invitedBy(how(), Params.parse(request.params).code);
    return user === null ? gone(reply) : show(request, reply, user, null);
  });

  app.post("/invitations/:code", { preHandler: [...forms.check] }, async (request, reply) => {
    const { code } = Params.parse(request.params);
    const form = Posted.safeParse(request.body);
    const user = await invitedBy(how(), code);
    if (user === null || !form.success) return gone(reply);
    request.noted = { actor: { via: "mail", login: user.name, typed: null }, target: user.name };
    const { password } = form.data;
    const accepted = await acceptInvitation(how(), code, user, password);
    if (accepted.outcome === "Gone") return gone(reply);
    if (accepted.outcome === "Refused")
      return show(request, reply.code(400), user, `That will not do: ${accepted.because}.`);
    // With a second factor the login asks for its code: an invitation replaces the password alone.
    const tried = await login.tryLogin(request, { username: user.name, password });
    return reply.redirect(tried.outcome === "Right" ? "/" : "/login", 303);
  });

  function show(request: FastifyRequest, reply: FastifyReply, user: StoredUser, fault: string | null) {
    const page = invitationPage({ name: user.name, token: forms.token(request), fault });
    return reply.type(HTML).header("cache-control", "no-store").send(page.toString());
  }

  function gone(reply: FastifyReply) {
    return reply.code(404).type(HTML).send(invitationGonePage().toString());
  }
}

const HTML = "text/html; charset=utf-8";
