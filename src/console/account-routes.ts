import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { nameKey, type Stores, TokenScope } from "#monitor";
import type { Clock } from "../lib/clock.ts";
import { parseDuration } from "../lib/duration.ts";
import { addToken } from "./auth/access-tokens.ts";
import type { ConsoleAuth } from "./auth/demand-login.ts";
import type { Forms } from "./auth/forms.ts";
import { changeUser } from "./auth/manage-users.ts";
import type { User } from "./auth/users.ts";
import type { createFrames } from "./frames.ts";
import { accountPage, TOKEN_LENGTHS } from "./pages/account.ts";
import type { Times } from "./times.ts";

/** One's own password, sessions and tokens. */
export function accountRoutes(
  app: FastifyInstance,
  parts: {
    readonly stores: Stores;
    readonly auth: ConsoleAuth;
    readonly forms: Forms;
    readonly times: Times;
    readonly wall: Clock;
  },
  frames: ReturnType<typeof createFrames>,
): void {
  const { stores, auth, forms, times, wall } = parts;
  const ownForm = { preHandler: [...forms.check] };

  app.get("/account", (request, reply) => show(request, reply));

  app.post("/account/password", ownForm, async (request, reply) => {
    const user = userOf(request);
    const form = Passwords.safeParse(request.body);
    if (user === null || !form.success) return show(request, reply);
    request.noted = { target: user.name };
    const { old, password } = form.data;
    const tried = await auth.login.tryPassword(request, { username: user.name, password: old });
    if (tried.outcome !== "Right") {
      const fault =
        tried.outcome === "Wrong" ? "That is not your password of now." : "Too many attempts. Wait a minute.";
      return show(request, reply.code(tried.outcome === "Wrong" ? 403 : 429), { fault });
    }
    const how = { stores, namesOfFile: user.kept === "Database" ? [] : [user.name], now: wall.now() };
    const changed = await changeUser(how, user.name, { do: "password", password });
    if (changed.outcome === "Refused")
      return show(request, reply.code(400), { fault: `Nothing was changed: ${changed.because}.` });
    // All sessions have ended. This browser goes on with a new one.
    await auth.login.tryLogin(request, { username: user.name, password });
    return reply.redirect("/account", 303);
  });

  app.post("/account/sessions/end", ownForm, async (request, reply) => {
    const user = userOf(request);
    const { id } = Chosen.parse(request.body ?? {});
    if (user === null) return show(request, reply);
    const key = nameKey(user.name);
    request.noted = { target: user.name, detail: id };
    if (id === "others") await stores.sessions.endAll(key, wall.now(), request.visitor?.session?.id ?? null);
    else if (Id.safeParse(id).success) await stores.sessions.end(id, key, wall.now());
    return reply.redirect("/account", 303);
  });

  app.post("/account/tokens", ownForm, async (request, reply) => {
    const user = userOf(request);
    const form = NewToken.safeParse(request.body);
    if (user === null) return show(request, reply);
    if (!form.success) return show(request, reply.code(400), { fault: "That is not a valid token." });
    const { label, scope, length } = form.data;
    request.noted = { target: label, detail: `${scope}, for ${length}` };
    const lengthMs = parseDuration(length) ?? 0;
    const added = await addToken(stores, { user: user.name, label, scope, lengthMs, now: wall.now() });
    if (added.outcome === "Refused")
      return show(request, reply.code(409), { fault: `No token was made: ${added.because}.` });
    return show(request, reply, { made: added.text });
  });

  app.post("/account/tokens/end", ownForm, async (request, reply) => {
    const user = userOf(request);
    const { id } = Chosen.parse(request.body ?? {});
    request.noted = { target: id };
    if (user !== null && Id.safeParse(id).success)
      await stores.accessTokens.end(id, nameKey(user.name), wall.now());
    return reply.redirect("/account", 303);
  });

  async function show(
    request: FastifyRequest,
    reply: FastifyReply,
    { made = null, fault = null }: { readonly made?: string | null; readonly fault?: string | null } = {},
  ): Promise<FastifyReply> {
    const user = userOf(request);
    if (user === null)
      return frames.sendProblem(
        ...([request, reply, 404] as const),
        "This console has no login",
        "Whoever is at this machine sees it. Add a user, and it asks for one: earshot users add ann --role admin.",
      );
    const now = wall.now();
    const key = nameKey(user.name);
    return frames.sendPage(request, reply, async () => {
      const [sessions, tokens] = await Promise.all([
        stores.sessions.list(key, now),
        stores.accessTokens.list(key, now),
      ]);
      const session = request.visitor?.session?.id ?? null;
      return accountPage({ user, sessions, session, tokens, made, fault }, times, forms.token(request));
    });
  }
}

function userOf({ visitor }: FastifyRequest): User | null {
  return visitor?.user ?? null;
}

const Id = z.guid();
const Chosen = z.object({ id: z.string().max(40).catch("") });
const Passwords = z.object({ old: z.string().max(1000), password: z.string().max(1000) });
const NewToken = z.object({
  label: z.string().trim().min(1).max(80),
  scope: TokenScope,
  length: z.enum(TOKEN_LENGTHS),
});
