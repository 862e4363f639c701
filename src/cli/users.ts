import { text } from "node:stream/consumers";
import type { Command } from "commander";
import { addUser, changeUser, inventPassword, type ManagedUser, type UserChange } from "#console";
import { describeActor, formatTime, nameKey, ROLE_WORDS, UserRole } from "#monitor";
import { UserError } from "../lib/errors.ts";
import { counted } from "../lib/numbers.ts";
import { hashPassword } from "../lib/password-hash.ts";
import { timezoneInUse } from "./common/load-rules-in-use.ts";
import { noteInShell } from "./common/note-in-shell.ts";
import { print } from "./common/print.ts";
import { printOutcome, printRows } from "./common/print-rows.ts";
import { readPassword, withoutLineEnd } from "./common/read-password.ts";
import { type InviteFlags, inviteUser } from "./users/invite-user.ts";
import { nameIn, roleIn } from "./users/read-names.ts";
import { type UserParts, withUsers } from "./users/with-users.ts";

interface Flags {
  readonly passwordFile?: string;
  readonly json: boolean;
}

/** `earshot users`: who may log in to the console, and what they may do there. */
export function defineUsersCommand(command: Command, env: NodeJS.ProcessEnv): void {
  const group = command.addHelpText("after", HELP);
  group
    .command("list", { isDefault: true })
    .description("Lists the users: role, since when, where they are logged in.")
    .option("--json", "answer as JSON", false)
    .action((flags: Flags) => withUsers(env, (parts) => list(parts, env, flags)));
  group
    .command("add")
    .description("Adds a user. Prints a first password, once, unless a file has one.")
    .argument("<name>", "name to log in with")
    .requiredOption("--role <role>", UserRole.options.join(", "))
    .option("--email <address>", "where mails of the console go")
    .option("--password-file <file>", "file that holds the password")
    .option("--json", "answer as JSON", false)
    .action((name: string, flags: Flags & { role: string; email?: string }) =>
      withUsers(env, async (parts) => {
        const password = await passwordOf(flags);
        const newUser = { name: nameIn(name), role: roleIn(flags.role), email: flags.email ?? null };
        const by = `${describeActor(parts.actor)} (shell)`;
        const added = await addUser(parts, { ...newUser, password: password.text, by });
        await noteInShell(parts, "user.add", name, added, flags.role);
        done(added, password, flags, (user) => `added ${user.name} as ${user.role}`);
      }),
    );
  group
    .command("invite")
    .description("Sends a mail with a link that sets a password, once; adds the user if there is none yet.")
    .argument("<name>", "name to log in with")
    .option("--role <role>", `of a new user: ${UserRole.options.join(", ")}`)
    .option("--email <address>", "where the mail goes; without it the link is printed")
    .option("--for <length>", "how long the link works, at most 30d", "3d")
    .option("--json", "answer as JSON", false)
    .action((name: string, flags: InviteFlags) =>
      withUsers(env, (parts) => inviteUser(parts, env, name, flags)),
    );
  const change = (
    name: string,
    about: string,
    flags: Pick<Flags, "json">,
    change: UserChange,
    password: FirstPassword | null = null,
  ) =>
    withUsers(env, async (parts) => {
      const changed = await changeUser(parts, name, change);
      await noteInShell(
        parts,
        "user.change",
        name,
        changed,
        change.do === "role" ? `role: ${change.role}` : change.do,
      );
      done(changed, password, flags, (user, ended) => {
        const sessions = ended === 0 ? "" : `; ${counted(ended, "session")} ended`;
        return `${user.name} ${about}${sessions}`;
      });
    });
  group
    .command("role")
    .description("Gives a user another role, at once.")
    .argument("<name>")
    .argument("<role>", UserRole.options.join(", "))
    .option("--json", "answer as JSON", false)
    .action((name: string, role: string, flags: Flags) =>
      change(name, `is ${role} now`, flags, { do: "role", role: roleIn(role) }),
    );
  group
    .command("password")
    .description("Gives a user another password, and ends their sessions.")
    .argument("<name>")
    .option("--password-file <file>", "file that holds it; otherwise one is made up and printed, once")
    .option("--json", "answer as JSON", false)
    .action(async (name: string, flags: Flags) => {
      const password = await passwordOf(flags);
      return change(name, "has a new password", flags, { do: "password", password: password.text }, password);
    });
  group
    .command("end")
    .description("Ends a user: no login any more, and what is open ends. The history keeps the name.")
    .argument("<name>")
    .option("--json", "answer as JSON", false)
    .action((name: string, flags: Flags) => change(name, "has ended", flags, { do: "end" }));
  group
    .command("restore")
    .description("Brings back a user who has ended, with the role and the password of before.")
    .argument("<name>")
    .option("--json", "answer as JSON", false)
    .action((name: string, flags: Flags) => change(name, "may log in again", flags, { do: "restore" }));
  group
    .command("logout")
    .description("Ends all sessions of a user, in every process.")
    .argument("<name>")
    .option("--json", "answer as JSON", false)
    .action((name: string, flags: Flags) =>
      withUsers(env, async (parts) => {
        const ended = await parts.stores.sessions.endAll(nameKey(name), parts.now);
        await noteInShell(parts, "session.end", name, { outcome: "Done" }, counted(ended, "session"));
        printOutcome({ name, endedSessions: ended }, `${counted(ended, "session")} of ${name} ended`, flags);
      }),
    );
  group
    .command("reset-factor")
    .description("Ends the second factor of a user who lost the app and the recovery codes.")
    .argument("<name>")
    .option("--json", "answer as JSON", false)
    .action((name: string, flags: Flags) =>
      withUsers(env, async (parts) => {
        const isEnded = await parts.stores.secondFactors.end(nameKey(name));
        await noteInShell(parts, "second-factor.end", name, { outcome: isEnded ? "Done" : "Refused" });
        if (!isEnded) throw new UserError(`${name} has no second factor`);
        printOutcome({ name, ended: true }, `${name} logs in with the password alone`, flags);
      }),
    );
  group
    .command("hash")
    .description("Prints the hash of a password for web.users in earshot.yaml.")
    .option("--password-file <file>", "file that holds the password (default: standard input)")
    .action(async ({ passwordFile }: { passwordFile?: string }) => {
      const password =
        passwordFile === undefined
          ? withoutLineEnd(await text(process.stdin))
          : await readPassword(passwordFile);
      if (password === "") throw new UserError("there is no password to hash", ["give it on standard input"]);
      print(await hashPassword(password));
    });
}

async function list(
  { stores, now, ofFile }: UserParts,
  env: NodeJS.ProcessEnv,
  { json }: Flags,
): Promise<void> {
  const timezone = await timezoneInUse(env);
  const [stored, sessions] = await Promise.all([stores.users.list(), stores.sessions.list(null, now)]);
  const loggedIn = (name: string) => sessions.filter(({ nameKey: key }) => key === nameKey(name)).length;
  const rows = [
    ...ofFile.map(({ name, role }) => ({
      name,
      role,
      kept: "earshot.yaml",
      since: null,
      ended: null,
      email: null,
      sessions: loggedIn(name),
    })),
    ...stored.map(({ name, role, createdAt, endedAt, email }) => ({
      ...{ name, role, kept: "database" },
      since: json ? createdAt : formatTime(createdAt, timezone),
      ended: endedAt === null || json ? endedAt : formatTime(endedAt, timezone),
      ...{ email, sessions: loggedIn(name) },
    })),
  ];
  const none = "There are no users. The console asks for no login, and listens on this machine only.";
  await printRows(rows, { json, none });
}

interface FirstPassword {
  readonly text: string;
  readonly isInvented: boolean;
}

async function passwordOf({ passwordFile }: Pick<Flags, "passwordFile">): Promise<FirstPassword> {
  if (passwordFile === undefined) return { text: inventPassword(), isInvented: true };
  return { text: await readPassword(passwordFile), isInvented: false };
}

/** Throws a UserError with the reason if nothing was done. */
function done(
  managed: ManagedUser,
  password: FirstPassword | null,
  options: Pick<Flags, "json">,
  sentence: (user: { readonly name: string; readonly role: UserRole }, endedSessions: number) => string,
): void {
  if (managed.outcome === "Refused") throw new UserError(managed.because);
  const { user, endedSessions } = managed;
  const first = password?.isInvented === true ? password.text : null;
  printOutcome(
    { name: user.name, role: user.role, endedSessions, ...(first !== null && { password: first }) },
    `${sentence(user, endedSessions)}${first === null ? "" : `\npassword: ${first}\n(shown once; change it on the page Account)`}`,
    options,
  );
}

const HELP = `
Roles, each with what the ones before may do:
${UserRole.options.map((role) => `  ${role.padEnd(10)} ${ROLE_WORDS[role]}`).join("\n")}

The first user makes the console ask everybody for a login. Users may stand in earshot.yaml instead, under web.users.

Examples:
  earshot users add ann --role admin
  earshot users invite bob --role editor --email bob@brand.example
  earshot users list
  earshot users role bob editor
  earshot users password bob
  earshot users end bob
  earshot users restore bob
  earshot users logout bob
  earshot users reset-factor bob
  earshot users hash < password.txt`;
