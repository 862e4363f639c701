import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { SECOND } from "../lib/instant.ts";
import type { LoginActions } from "./auth/demand-login.ts";
import type { Forms } from "./auth/forms.ts";
import { loginPage } from "./pages/login.ts";

const Login = z.object({ username: z.string().max(200), password: z.string().max(1000) });
const Next = z.object({ next: z.string().max(2000).catch("/") }).catch({ next: "/" });

/** The login form and the logout. */
export function loginRoutes(app: FastifyInstance, actions: LoginActions, forms: Forms): void {
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
      switch (tried.outcome) {
        case "Right":
          // Now, so that pages opened at the same time have forms with the same secret.
          forms.token(request);
          return reply.redirect(localPath(next), 303);
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

  app.post("/logout", { preHandler: [...forms.check] }, async (request, reply) => {
    await actions.logOut(request);
    return reply.redirect("/login", 303);
  });

  function showForm(
    request: FastifyRequest,
    reply: FastifyReply,
    code: number,
    next: string,
    fault: string | null,
  ): FastifyReply {
    const page = loginPage({ token: forms.token(request), next: localPath(next), fault });
    return reply.code(code).type("text/html; charset=utf-8").send(page.toString());
  }
}

function nextOf(request: FastifyRequest): string {
  return Next.parse(request.body).next;
}

/** A path of this console; anything that could lead to another site becomes the first page. */
function localPath(next: string): string {
  return /^\/(?![/\\])[\w\-./?=&%~+]*$/.test(next) ? next : "/";
}
