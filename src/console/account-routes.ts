import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { nameKey, type Stores, TokenScope } from "#monitor";
import type { Clock } from "../lib/clock.ts";
import { parseDuration } from "../lib/duration.ts";
import { MINUTE } from "../lib/instant.ts";
import { counted } from "../lib/numbers.ts";
import { hashOfCode, inventCode } from "../lib/readable-code.ts";
import { addToken } from "./auth/access-tokens.ts";
import type { ConsoleAuth } from "./auth/demand-login.ts";
import type { Forms } from "./auth/forms.ts";
import { changeUser } from "./auth/manage-users.ts";
import type { AppSecret, SecondFactors } from "./auth/second-factor.ts";
import { hasOwnPassword, type User, type Users } from "./auth/users.ts";
import type { Times } from "./common/times.ts";
import type { createFrames } from "./frames.ts";
import { Code } from "./login-routes.ts";
import { accountPage, TOKEN_LENGTHS } from "./pages/account.ts";

/** What the pages of people need. */
export interface PeopleParts {
  readonly users: Users;
  readonly auth: ConsoleAuth;
  readonly secondFactors: SecondFactors;
  readonly forms: Forms;
  readonly times: Times;
  readonly wall: Clock;
}

/** One's own password, sessions and tokens. */
export function accountRoutes(
  app: FastifyInstance,
  parts: PeopleParts & { readonly stores: Stores },
  frames: ReturnType<typeof createFrames>,
): void {
  const { stores, users, auth, secondFactors, forms, times, wall } = parts;
  const ownForm = { preHandler: [...forms.check] };

  app.get("/account", (request, reply) => show(request, reply));

  app.post("/account/password", ownForm, async (request, reply) => {
    const user = userOf(request);
    const form = Passwords.safeParse(request.body);
    if (user === null) return show(request, reply);
    if (!form.success)
      return show(request, reply.code(400), {
        fault: "Nothing was changed: a password has at most 1,000 letters.",
      });
    request.noted = { target: user.name };
    const { old, password } = form.data;
    const tried = await auth.login.tryPassword(request, { username: user.name, password: old });
    if (tried.outcome !== "Right")
      return show(request, reply.code(tried.outcome === "Wrong" ? 403 : 429), wrongPassword(tried.outcome));
    const how = { stores, namesOfFile: user.kept === "Database" ? [] : [user.name], now: wall.now() };
    const changed = await changeUser(how, user.name, { do: "password", password });
    if (changed.outcome === "Refused")
      return show(request, reply.code(400), { fault: `Nothing was changed: ${changed.because}.` });
    // All sessions have ended. This browser goes on with a new one.
    const renewed = await users.find(user.name);
    if (renewed !== null) await auth.login.logIn(request, renewed);
    return reply.redirect("/account", 303);
  });

  app.post("/account/second-factor", ownForm, async (request, reply) => {
    const user = userOf(request);
    const form = Password.safeParse(request.body);
    if (user === null || !form.success) return show(request, reply);
    request.noted = { target: user.name };
    if (!hasOwnPassword(user)) return show(request, reply.code(409), { fault: NO_SECOND_FACTOR });
    const tried = await auth.login.tryPassword(request, {
      username: user.name,
      password: form.data.password,
    });
    if (tried.outcome !== "Right")
      return show(request, reply.code(tried.outcome === "Wrong" ? 403 : 429), wrongPassword(tried.outcome));
    const begun = await secondFactors.begin(user.name);
    if (begun === null) return show(request, reply.code(409), { fault: "There is a second factor already." });
    return show(request, reply, { begun });
  });

  app.post("/account/second-factor/confirm", ownForm, async (request, reply) => {
    const user = userOf(request);
    const form = Code.safeParse(request.body);
    if (user === null || !form.success) return show(request, reply);
    request.noted = { target: user.name };
    const recovery = await secondFactors.confirm(user.name, form.data.code, wall.now());
    if (recovery === null) {
      const begun = await secondFactors.begun(user.name);
      const fault = "That code is not right. Is the clock of your phone right? Try the next one.";
      return show(request, reply.code(403), { fault, begun });
    }
    const ended = await stores.sessions.endAll(
      nameKey(user.name),
      wall.now(),
      request.visitor?.session?.id ?? null,
    );
    request.noted = { target: user.name, detail: `${counted(ended, "other session")} ended` };
    return show(request, reply, { recovery });
  });

  app.post("/account/second-factor/end", ownForm, async (request, reply) => {
    const user = userOf(request);
    const form = Code.safeParse(request.body);
    if (user === null || !form.success) return show(request, reply);
    request.noted = { target: user.name };
    const checked = await secondFactors.check(user.name, form.data.code, wall.now());
    if (checked !== "Right" && checked !== "RightRecovery")
      return show(request, reply.code(checked === "TooMany" ? 429 : 403), { fault: WRONG_CODES[checked] });
    await secondFactors.end(user.name);
    return reply.redirect("/account", 303);
  });

  app.post("/account/slack", ownForm, async (request, reply) => {
    const user = userOf(request);
    if (user === null) return show(request, reply);
    request.noted = { target: user.name };
    if (user.kept === "Login")
      return show(request, reply.code(409), {
        fault: "Several people share this login: it is nobody in Slack.",
      });
    const code = inventCode();
    const until = wall.now() + SLACK_CODE_MS;
    await stores.transaction(({ oneTimeCodes }) =>
      oneTimeCodes.add({
        secretHash: hashOfCode(code),
        purpose: "slack",
        nameKey: nameKey(user.name),
        until,
      }),
    );
    return show(request, reply, { slackCode: code });
  });

  app.post("/account/slack/end", ownForm, async (request, reply) => {
    const user = userOf(request);
    const { team, id } = InSlack.parse(request.body ?? {});
    request.noted = { target: id };
    if (user !== null) await stores.slackPeople.unlink(nameKey(user.name), team, id);
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
    shown: Partial<ShownOnce> = {},
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
      const [sessions, tokens, recoveryLeft, slack] = await Promise.all([
        stores.sessions.list(key, now),
        stores.accessTokens.list(key, now),
        secondFactors.recoveryLeft(user.name),
        stores.slackPeople.list(key),
      ]);
      const session = request.visitor?.session?.id ?? null;
      const account = {
        ...{ user, sessions, session, tokens, recoveryLeft, slack },
        ...NOTHING_SHOWN,
        ...shown,
      };
      return accountPage(account, times, forms.token(request));
    });
  }
}

/** What is shown once, after a form. */
interface ShownOnce {
  /** A new token. */
  readonly made: string | null;
  /** The secret of a second factor that is not confirmed yet. */
  readonly begun: AppSecret | null;
  /** Recovery codes of a new second factor. */
  readonly recovery: readonly string[] | null;
  /** A code to type into Slack. */
  readonly slackCode: string | null;
  readonly fault: string | null;
}
const NOTHING_SHOWN: ShownOnce = { made: null, begun: null, recovery: null, slackCode: null, fault: null };
/** How long a code for Slack works. */
const SLACK_CODE_MS = 10 * MINUTE;

function wrongPassword(outcome: "Wrong" | "TooMany"): Partial<ShownOnce> {
  return {
    fault: outcome === "Wrong" ? "That is not your password of now." : "Too many attempts. Wait a minute.",
  };
}

const WRONG_CODES = {
  Wrong: "That code is not right, or was used already.",
  TooMany: "Too many wrong codes. Wait an hour.",
  Unreadable: "Earshot cannot read your second factor: its key was changed. A recovery code works.",
} as const;
const NO_SECOND_FACTOR = "Only a user with a password of their own has a second factor.";

function userOf({ visitor }: FastifyRequest): User | null {
  return visitor?.user ?? null;
}

const Id = z.guid();
const Chosen = z.object({ id: z.string().max(40).catch("") });
const InSlack = z.object({ team: z.string().max(40).catch(""), id: z.string().max(40).catch("") });
const Password = z.object({ password: z.string().max(1000) });
const Passwords = z.object({ old: z.string().max(1000), password: z.string().max(1000) });
const NewToken = z.object({
  label: z.string().trim().min(1).max(80),
  scope: TokenScope,
  length: z.enum(TOKEN_LENGTHS),
});
