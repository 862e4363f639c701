import type { Command } from "commander";
import { addToken } from "#console";
import { formatTime, nameKey, SCOPE_WORDS, TokenScope } from "#monitor";
import { parseDuration } from "../lib/duration.ts";
import { UserError } from "../lib/errors.ts";
import { timezoneInUse } from "./common/load-rules-in-use.ts";
import { noteInShell } from "./common/note-in-shell.ts";
import { printOutcome, printRows } from "./common/print-rows.ts";
import { withUsers } from "./users/with-users.ts";

/** `earshot tokens`: with what programs use the console. */
export function defineTokensCommand(command: Command, env: NodeJS.ProcessEnv): void {
  const group = command.addHelpText("after", HELP);
  group
    .command("list", { isDefault: true })
    .description("Lists the tokens: whose, for what, used when and from where.")
    .option("--json", "answer as JSON", false)
    .action(({ json }: { json: boolean }) =>
      withUsers(env, async ({ stores, now }) => {
        const timezone = await timezoneInUse(env);
        const tokens = await stores.accessTokens.list(null, now);
        const rows = tokens.map(({ id, nameKey: user, label, scope, until, usedAt, usedFrom }) => ({
          ...{ id, user, label, scope },
          until: json ? until : formatTime(until, timezone),
          used: usedAt === null || json ? usedAt : formatTime(usedAt, timezone),
          from: usedFrom,
        }));
        await printRows(rows, { json, none: "There is no token." });
      }),
    );
  group
    .command("add")
    .description("Makes a token for a user, and prints it, once.")
    .argument("<label>", "what it is for")
    .requiredOption("--user <name>", "whose rights it has")
    .requiredOption("--scope <scope>", TokenScope.options.join(", "))
    .option("--for <length>", "how long it lasts, at most 400d", "90d")
    .option("--json", "answer as JSON", false)
    .action((label: string, flags: { user: string; scope: string; for: string; json: boolean }) =>
      withUsers(env, async (parts) => {
        const { stores, now, namesOfFile } = parts;
        const stored = await stores.users.find(flags.user);
        const inFile = namesOfFile.some((name) => nameKey(name) === nameKey(flags.user));
        if (!inFile && (stored === null || stored.endedAt !== null))
          throw new UserError(`there is no user ${flags.user}`, ["earshot users list shows them"]);
        const scope = scopeIn(flags.scope);
        const lengthMs = parseDuration(flags.for);
        if (lengthMs === undefined) throw new UserError(`"${flags.for}" is no length such as 90d`);
        const added = await addToken(stores, { user: flags.user, label, scope, lengthMs, now });
        await noteInShell(parts, "token.add", label, added, `${scope}, of ${flags.user}`);
        if (added.outcome === "Refused") throw new UserError(added.because);
        const { id } = added.token;
        printOutcome(
          { id, token: added.text, scope, until: added.token.until },
          `${added.text}\n(shown once; ends ${formatTime(added.token.until, await timezoneInUse(env))})`,
          flags,
        );
      }),
    );
  group
    .command("end")
    .description("Ends a token, at once.")
    .argument("<token>", "its id")
    .option("--json", "answer as JSON", false)
    .action((id: string, flags: { json: boolean }) =>
      withUsers(env, async (parts) => {
        const isId = /^[0-9a-f]{8}-[0-9a-f-]{27}$/i.test(id);
        const isEnded = isId && (await parts.stores.accessTokens.end(id, null, parts.now));
        await noteInShell(parts, "token.end", id, { outcome: isEnded ? "Done" : "Refused" });
        if (!isEnded) throw new UserError(`there is no token ${id}`, ["earshot tokens list shows their ids"]);
        printOutcome({ id, ended: true }, "ended", flags);
      }),
    );
}

function scopeIn(text: string): TokenScope {
  const read = TokenScope.safeParse(text);
  if (read.success) return read.data;
  throw new UserError(
    `there is no scope "${text}"`,
    TokenScope.options.map((scope) => `${scope}: ${SCOPE_WORDS[scope]}`),
  );
}

const HELP = `
Scopes:
${TokenScope.options.map((scope) => `  ${scope.padEnd(8)} ${SCOPE_WORDS[scope]}`).join("\n")}

A program sends a token as Authorization: Bearer TOKEN. It may do what its user may, within the scope, and no longer.

Examples:
  earshot tokens add prometheus --user ann --scope metrics --for 365d
  earshot tokens list
  earshot tokens end 0199b2c4-7d1a-7000-8000-000000000000`;
