import { createReadStream } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Command } from "commander";
import {
  type AccountFile,
  type AccountPlan,
  accountJsonSchema,
  applyAccount,
  MOST_ACCOUNT_BYTES,
  planApply,
  readAccount,
  type Step,
  stepsOf,
  type Thing,
} from "#listening-api";
import { systemClock } from "../../lib/clock.ts";
import { UserError, whyUnread } from "../../lib/errors.ts";
import { askForYes } from "../common/ask-questions.ts";
import { print, printError, printJson } from "../common/print.ts";
import { withTables } from "./with-tables.ts";

interface ApplyOptions {
  readonly prune: boolean;
  readonly dryRun: boolean;
  readonly yes: boolean;
  readonly schema: boolean;
  readonly json: boolean;
}

export function addLocalApply(group: Command, env: NodeJS.ProcessEnv): void {
  group
    .command("apply [file]")
    .description(
      "Makes clients, logins, projects, queries, query groups, categories, tags and lists as a YAML file says.",
    )
    .option("--dry-run", "show the difference and change nothing", false)
    .option("--prune", "delete what is there and not in the file", false)
    .option("--yes", "delete without a question", false)
    .option("--schema", "print the JSON Schema of the file, for editors", false)
    .option("--json", "answer as JSON", false)
    .addHelpText("after", HELP)
    .action((file: string | undefined, options: ApplyOptions) => {
      if (options.schema) return printJson(accountJsonSchema(), 2);
      if (file === undefined)
        throw new UserError("Which file?", [
          "earshot local-api get > account.yaml writes one of what is there",
        ]);
      return apply(file, options, env);
    });
}

const HELP = `
A file:
  clients:
    - name: Acme
      rateLimit: 600/10                       calls/minutes; without it no limit
      projects:
        - name: Brands
          timezone: Europe/Berlin
          queries:
            - name: Acme
              text: acme OR "acme corp"
            - { name: Complaints, text: "acme NEAR/5 (broken OR refund)", sample: 50 }
          queryGroups:
            - { name: All, queries: [Acme, Complaints] }
          categories:
            - { name: Topics, children: [Price, Safety] }
          tags: [answered]
      siteLists:
        - { name: Press, domains: [news.example, blog.example/acme] }
  users:
    - username: ann@acme.example              a new login without a password gets one, shown once
      clients: { Acme: Admin }                Admin, Regular, or Viewer (which the API refuses)
  keepMentionsFrom: 2026-01-01                drops whole months before it, of all clients

Examples:
  earshot local-api apply account.yaml --dry-run
  earshot local-api apply account.yaml
  earshot local-api get > account.yaml        what is there, in the same form
  earshot local-api apply account.yaml --prune --yes

The difference is shown first: + is added, ~ changed, - deleted. Fields and sections that the file leaves out stay as
they are; so do passwords. A thing that is not in its section is kept, or deleted with --prune. Things are found by
name; with the id of "get --json" a thing can be renamed. It is all done, or nothing. A second apply changes nothing.

Exit codes: 0 applied, or nothing to change; 1 failed; 2 an error in the file or a deletion that was not agreed to;
130 interrupted. After 2 and 130 nothing was changed.`;

async function apply(path: string, options: ApplyOptions, env: NodeJS.ProcessEnv): Promise<void> {
  const name = path === "-" ? "standard input" : path;
  const read = await readAccount(name, await readText(path));
  const file = { ...read, account: await withPasswords(read, path) };
  await withTables(env, async ({ db }) => {
    const plan = await planApply(db, file, options);
    if (!options.json && plan.lines.length > 0) print(plan.lines.join("\n"));
    if (plan.isNothing || options.dryRun) return finish(plan, options, { applied: false });
    if (plan.deletesSomething && !options.yes) await agree(path);
    const passwords = await applyAccount(db, file, {
      prune: options.prune,
      shown: plan,
      at: systemClock.now(),
    });
    return finish(plan, options, { applied: true, passwords });
  });
}

/** A device never ends. */
async function readText(path: string): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of path === "-" ? process.stdin : createReadStream(path)) {
      chunks.push(Buffer.from(chunk));
      size += chunks.at(-1)?.length ?? 0;
      if (size > MOST_ACCOUNT_BYTES) break;
    }
  } catch (error) {
    throw new UserError(`${path} cannot be read: ${whyUnread(error)}.`);
  }
  if (size > MOST_ACCOUNT_BYTES)
    throw new UserError(`${path} is too large: an account file has at most ${MOST_ACCOUNT_BYTES / 1e6} MB.`, [
      "make several files of it, such as one for each client; what a file leaves out stays as it is",
    ]);
  return Buffer.concat(chunks).toString("utf8");
}

/** Reads the files of passwords, beside the account file. */
async function withPasswords({ account, refuse }: AccountFile, path: string): Promise<Thing> {
  const { user: users } = account.parts;
  if (users === undefined) return account;
  const folder = path === "-" ? "." : dirname(path);
  const user: Thing[] = [];
  for (const one of users) {
    const { passwordFile, ...fields } = one.fields;
    if (typeof passwordFile !== "string") {
      user.push(one);
      continue;
    }
    const at = [...(one.path ?? []), "passwordFile"];
    if (fields["password"] !== undefined)
      refuse([{ path: at, message: "password is there, too: leave one out" }]);
    const content = await readText(resolve(folder, passwordFile)).catch((error: UserError) => {
      refuse([{ path: at, message: error.message }]);
      return "";
    });
    const password = content.split(/\r?\n/, 1)[0] ?? "";
    if (password === "") refuse([{ path: at, message: "the first line of that file is empty" }]);
    user.push({ ...one, fields: { ...fields, password } });
  }
  return { ...account, parts: { ...account.parts, user } };
}

/** Asks on a terminal whether to delete. */
async function agree(path: string): Promise<void> {
  if (path === "-" || !process.stdin.isTTY || !process.stderr.isTTY)
    throw new UserError("This would delete something (the lines with -). Nothing was changed.", [
      "--yes deletes it; without --prune things that are not in the file are kept",
    ]);
  await askForYes("Delete the things with - above?");
}

function finish(
  plan: AccountPlan,
  { json, dryRun }: ApplyOptions,
  done: { applied: boolean; passwords?: ReadonlyMap<string, string> },
): void {
  const passwords = done.passwords ?? new Map<string, string>();
  if (json) {
    const { months } = plan;
    const changes = changesIn(plan.step, []);
    printJson({ changes, months, applied: done.applied, passwords: Object.fromEntries(passwords) });
    return;
  }
  if (plan.isNothing) {
    print("Nothing to change.");
    return;
  }
  const count = (action: Step["action"]) =>
    stepsOf(plan.step).filter((step) => step.action === action).length;
  const deleted = count("delete") + plan.months.length;
  const counts = `${count("add")} added, ${count("change")} changed, ${deleted} deleted`;
  print(dryRun ? `Would be: ${counts}. Nothing was changed.` : `Done: ${counts}.`);
  for (const [login, password] of passwords) print(`Password of ${login}: ${password}`);
  if (passwords.size > 0) printError("Passwords are shown this once.");
}

function changesIn(step: Step, within: readonly string[]): object[] {
  const { action, kind, name, changes, stored } = step;
  const inside = kind === "account" ? within : [...within, stored?.name ?? name];
  const own = { action, kind, name, id: stored?.id, in: within, changes };
  return [...(action === "none" ? [] : [own]), ...step.parts.flatMap((part) => changesIn(part, inside))];
}
