import { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { type AuditFilter, nameKey, type Stores, UserName, UserRole } from "#monitor";
import type { Clock } from "../lib/clock.ts";
import { LATEST_INSTANT, toIso } from "../lib/instant.ts";
import type { Forms } from "./auth/forms.ts";
import { INVITATION_MS, invite } from "./auth/invitations.ts";
import { addUser, changeUser, inventPassword, type ManagedUser } from "./auth/manage-users.ts";
import type { Users } from "./auth/users.ts";
import type { Times } from "./common/times.ts";
import { addressOf, type createFrames } from "./frames.ts";
import { auditPage } from "./pages/audit.ts";
import { usersPage } from "./pages/users.ts";

const ENTRIES_OF_PAGE = 100;

/** Users and the audit log, for admins. */
export function userRoutes(
  app: FastifyInstance,
  parts: {
    readonly stores: Stores;
    readonly users: Users;
    readonly forms: Forms;
    readonly times: Times;
    readonly wall: Clock;
    /** The address of the console, for links that are sent to somebody. */
    readonly publicUrl: string | undefined;
  },
  frames: ReturnType<typeof createFrames>,
): void {
  const { stores, users, forms, times, wall } = parts;
  const ownForm = { preHandler: [...forms.check] };
  const how = () => ({ ...{ stores, namesOfFile: users.ofFile.map(({ name }) => name), now: wall.now() } });

  app.get("/users", (request, reply) => show(request, reply));

  app.post("/users", ownForm, async (request, reply) => {
    const form = NewUser.safeParse(request.body);
    if (!form.success)
      return show(request, reply.code(400), { fault: form.error.issues[0]?.message ?? "That is no user." });
    const { name, role } = form.data;
    request.noted = { target: name, detail: role };
    const password = inventPassword();
    const by = request.visitor?.user?.name ?? "somebody at this machine";
    const added = await addUser(how(), { name, role, email: null, password, by });
    return answer(request, reply, added, { name, password });
  });

  app.post("/users/change", ownForm, async (request, reply) => {
    const form = Change.safeParse(request.body);
    if (!form.success) return show(request, reply.code(400), { fault: "That is no change of a user." });
    const { name, do: what, role } = form.data;
    request.noted = { target: name, detail: what === "role" ? `role: ${role}` : what };
    const isOwn = nameKey(name) === nameKey(request.visitor?.user?.name ?? "");
    if (isOwn && (what === "end" || what === "role"))
      return show(request, reply.code(409), {
        fault: "Another admin does that to you: you could not undo it.",
      });
    if (what === "second-factor") {
      const isEnded = await stores.secondFactors.end(nameKey(name));
      return isEnded
        ? reply.redirect("/users", 303)
        : show(request, reply.code(409), { fault: `${name} has no second factor.` });
    }
    if (what === "invite") {
      const invited = await invite(how(), name, INVITATION_MS);
      if (invited.outcome === "Refused")
        return show(request, reply.code(409), { fault: `Nothing was changed: ${invited.because}.` });
      const base = parts.publicUrl?.replace(/\/$/, "") ?? `${request.protocol}://${request.host}`;
      return show(request, reply, {
        invited: { name, link: `${base}${invited.path}`, until: invited.until },
      });
    }
    const password = inventPassword();
    const change =
      what === "role" ? { do: what, role } : what === "password" ? { do: what, password } : { do: what };
    const changed = await changeUser(how(), name, change);
    return answer(request, reply, changed, what === "password" ? { name, password } : null);
  });

  app.get("/audit", async (request, reply) =>
    frames.sendPage(request, reply, async () => {
      const { before, who, action } = Asked.parse(request.query);
      const found = await stores.audit.list(filterOf(request), before, ENTRIES_OF_PAGE + 1);
      const entries = found.slice(0, ENTRIES_OF_PAGE);
      const next = found.length > entries.length ? (entries.at(-1)?.id ?? null) : null;
      return auditPage({ entries, who, action, address: addressOf(request.url), next }, times);
    }),
  );

  app.get("/audit.jsonl", async (request, reply) =>
    reply
      .type("application/jsonl; charset=utf-8")
      .header("content-disposition", 'attachment; filename="earshot-audit.jsonl"')
      .send(Readable.from(linesOf(stores, filterOf(request)))),
  );

  function answer(
    request: FastifyRequest,
    reply: FastifyReply,
    managed: ManagedUser,
    made: { readonly name: string; readonly password: string } | null,
  ) {
    if (managed.outcome === "Refused")
      return show(request, reply.code(409), { fault: `Nothing was changed: ${managed.because}.` });
    return made === null ? reply.redirect("/users", 303) : show(request, reply, { made });
  }

  function show(
    request: FastifyRequest,
    reply: FastifyReply,
    {
      made = null,
      invited = null,
      fault = null,
    }: Partial<Pick<Parameters<typeof usersPage>[0], "made" | "invited" | "fault">> = {},
  ): Promise<FastifyReply> {
    const now = wall.now();
    return frames.sendPage(request, reply, async () => {
      const [stored, factors, sessions, tokens] = await Promise.all([
        stores.users.list(),
        stores.secondFactors.list(),
        stores.sessions.list(null, now),
        stores.accessTokens.list(null, now),
      ]);
      const shown = { stored, factors, ofFile: users.ofFile, sessions, tokens, made, invited, fault };
      return usersPage(shown, times, forms.token(request));
    });
  }
}

/** The newest first, a page of the table at a time: the whole log is never in memory. */
async function* linesOf(stores: Stores, filter: AuditFilter): AsyncGenerator<string> {
  for (let before: number | null = null; ; ) {
    const entries = await stores.audit.list(filter, before, 500);
    for (const { at, ...entry } of entries) yield `${JSON.stringify({ at: toIso(at), ...entry })}\n`;
    const last = entries.at(-1);
    if (last === undefined || entries.length < 500) return;
    before = last.id;
  }
}

function filterOf(request: FastifyRequest): AuditFilter {
  const { who, action, from, to } = Asked.parse(request.query);
  return { who: who === "" ? null : who, action: action === "" ? null : action, from, to };
}

const moment = z
  .string()
  .max(40)
  .transform((text) => Date.parse(text))
  .pipe(z.number().min(0).max(LATEST_INSTANT))
  .nullable()
  .catch(null);
const Asked = z.object({
  who: z.string().trim().max(80).catch(""),
  action: z.string().trim().max(40).catch(""),
  before: z.coerce.number().int().positive().nullable().catch(null),
  from: moment,
  to: moment,
});
const NewUser = z.object({ name: UserName, role: UserRole });
const Change = z.object({
  name: z.string().max(200),
  do: z.enum(["role", "password", "end", "restore", "second-factor", "invite"]),
  role: UserRole.catch("viewer"),
});
