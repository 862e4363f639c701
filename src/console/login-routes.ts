import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { SECOND } from "../lib/instant.ts";
import type { LoginActions } from "./auth/demand-login.ts";
import type { Forms } from "./auth/forms.ts";
import { codePage, loginPage } from "./pages/login.ts";

const Login = z.object({ username: z.string().max(200), password: z.string().max(1000) });
/** What an app for codes shows. */
export const Code = z.object({ code: z.string().trim().min(1).max(100) });
const Next = z.object({ next: z.string().max(2000).catch("/") }).catch({ next: "/" });

/** The login form and the logout. */
export function loginRoutes(
  app: FastifyInstance,
  actions: LoginActions,
  forms: Forms,
  /** A login elsewhere; null: there is none. */
  elsewhere: { readonly address: string; readonly label: string } | null,
): void {
  const showForm = formOf((shown) => loginPage({ ...shown, elsewhere }));
  const showCodeForm = formOf(codePage);

  app.get("/login", async (request, reply) => {
    const { next } = Next.parse(request.query);
    if (!(await actions.isDemanded())) return reply.redirect(localPath(next), 303);
    return showForm(request, reply, 200, next, null);
  });

  app.post(
    "/login",
    {
      preHandler: [...forms.check],
      errorHandler: (error, request, reply) =>
        error.statusCode === 403
          ? showForm(request, reply, 403, nextOf(request), "This form was too old. Please try again.")
          : app.errorHandler(error, request, reply),
    },
    async (request, reply) => {
      const form = Login.safeParse(request.body);
      if (!form.success) return reply.code(400).send({ error: "not a login" });
      const next = nextOf(request);
      const tried = await actions.tryLogin(request, form.data);
      const { username } = form.data;
      request.noted = {
        actor:
          tried.outcome === "Right" || tried.outcome === "NeedsCode"
            ? { via: "page", login: tried.user.name, typed: null }
            : { via: "page", login: null, typed: username.slice(0, 80) },
      };
      switch (tried.outcome) {
        case "Right":
          // Now, so that pages opened at the same time have forms with the same secret.
          forms.token(request);
          return reply.redirect(localPath(next), 303);
        case "NeedsCode":
          request.noted = { ...request.noted, detail: "the password; a code is missing" };
          return showCodeForm(request, reply, 200, next, null);
        case "Wrong":
          return showForm(request, reply, 401, next, "That is not the right name and password.");
        case "TooMany": {
          const seconds = Math.ceil(tried.waitMs / SECOND);
          reply.header("retry-after", seconds);
          return showForm(request, reply, 429, next, `Too many attempts. Please wait ${seconds} seconds.`);
        }
      }
    },
  );

  app.post("/login/code", { preHandler: [...forms.check] }, async (request, reply) => {
    const form = Code.safeParse(request.body);
    const next = nextOf(request);
    if (!form.success) return showCodeForm(request, reply, 400, next, "That is no code.");
    const tried = await actions.tryCode(request, form.data.code);
    if (tried.outcome === "TooLate")
      return showForm(request, reply, 403, next, "That took too long. Please log in again.");
    request.noted = { actor: { via: "page", login: tried.user.name, typed: null } };
    switch (tried.outcome) {
      case "Right":
        if (tried.byRecovery) request.noted = { ...request.noted, detail: "a recovery code" };
        forms.token(request);
        return reply.redirect(localPath(next), 303);
      case "Wrong":
        return showCodeForm(request, reply, 401, next, "That code is not right, or was used already.");
      case "TooMany":
        return showCodeForm(request, reply, 429, next, "Too many wrong codes. Please wait an hour.");
      case "Unreadable":
        return showCodeForm(request, reply, 500, next, UNREADABLE);
    }
  });

  /** Sends a page with a form. */
  function formOf(page: (shown: Parameters<typeof codePage>[0]) => ReturnType<typeof codePage>) {
    return (
      request: FastifyRequest,
      reply: FastifyReply,
      code: number,
      next: string,
      fault: string | null,
    ): FastifyReply => {
      const shown = page({ token: forms.token(request), next: localPath(next), fault });
      return reply.code(code).type("text/html; charset=utf-8").send(shown.toString());
    };
  }

  app.post("/logout", { preHandler: [...forms.check] }, async (request, reply) => {
    await actions.logOut(request);
    return reply.redirect("/login", 303);
  });
}

const UNREADABLE =
  "Earshot cannot read your second factor: its key was changed. A recovery code works; an admin can reset it.";

function nextOf(request: FastifyRequest): string {
  return Next.parse(request.body).next;
}

/** A path of this console; anything that could lead to another site becomes the first page. */
export function localPath(next: string): string {
  return /^\/(?![/\\])[\w\-./?=&%~+*!$'(),;:@]*$/.test(next) ? next : "/";
}
