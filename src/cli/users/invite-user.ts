import { addUser, invite, LONGEST_INVITATION_MS } from "#console";
import { cleanLine, describeActor, formatTime, sendInvitation } from "#monitor";
import { parseDuration } from "../../lib/duration.ts";
import { UserError } from "../../lib/errors.ts";
import { configInUse } from "../common/load-rules-in-use.ts";
import { noteInShell } from "../common/note-in-shell.ts";
import { printOutcome } from "../common/print-rows.ts";
import { nameIn, roleIn } from "./read-names.ts";
import type { UserParts } from "./with-users.ts";

export interface InviteFlags {
  readonly role?: string;
  readonly email?: string;
  readonly for: string;
  readonly json: boolean;
}

/** `earshot users invite`: the link goes by mail, or is printed where there is no mail. */
export async function inviteUser(
  parts: UserParts,
  env: NodeJS.ProcessEnv,
  typed: string,
  flags: InviteFlags,
): Promise<void> {
  const name = nameIn(typed);
  const lengthMs = parseDuration(flags.for);
  if (lengthMs === undefined || lengthMs === null || lengthMs <= 0 || lengthMs > LONGEST_INVITATION_MS)
    throw new UserError(`--for is a length up to 30d, such as 3d, not "${flags.for}"`);
  const config = await configInUse(env);
  const email = config?.receivers.map(({ notifier }) => notifier).find((one) => one.kind === "email");
  if (flags.email !== undefined && email?.kind !== "email")
    throw new UserError("there is no mail server to send it by", [
      "earshot.yaml has no receiver of the kind email, or cannot be read here; leave --email out, and the link is printed",
    ]);
  if (flags.email !== undefined && config?.web.publicUrl === undefined)
    throw new UserError("web.publicUrl is not set, so the mail would have no address that works elsewhere");

  const by = describeActor(parts.actor);
  const stored = await parts.stores.users.find(name);
  if (stored === null) {
    if (flags.role === undefined) throw new UserError(`there is no user ${name} yet: say which --role`);
    const newUser = { name, role: roleIn(flags.role), email: flags.email ?? null, password: null };
    const added = await addUser(parts, { ...newUser, by: `${by} (shell)` });
    await noteInShell(parts, "user.add", name, added, flags.role);
    if (added.outcome === "Refused") throw new UserError(added.because);
  } else if (flags.role !== undefined && flags.role !== stored.role)
    throw new UserError(`${stored.name} is ${stored.role} already`, [
      `leave --role out, or: earshot users role ${stored.name} ${flags.role}`,
    ]);

  const invited = await invite(parts, name, lengthMs);
  await noteInShell(parts, "user.invite", name, invited, flags.email ?? "");
  if (invited.outcome === "Refused") throw new UserError(invited.because);
  const until = formatTime(invited.until, config?.timezone ?? "UTC");
  const base = config?.web.publicUrl ?? `http://127.0.0.1:${config?.web.port ?? 8080}`;
  const url = `${base.replace(/\/$/, "")}${invited.path}`;
  const outcome = { name, until: invited.until };
  if (flags.email === undefined || email?.kind !== "email") {
    printOutcome(
      { ...outcome, url },
      `${url}\n(shown once; ${name} sets a password there, until ${until})`,
      flags,
    );
    return;
  }
  const fault = await sendInvitation(email, { to: flags.email, name, by, url, until });
  if (fault !== null)
    throw new UserError(`the mail to ${cleanLine(flags.email)} was not sent: ${fault}`, [
      `once it works: earshot users invite ${name} --email ${cleanLine(flags.email)}`,
    ]);
  printOutcome(
    { ...outcome, to: flags.email },
    `${name} is invited by mail; the link works until ${until}`,
    flags,
  );
}
