import type { Command } from "commander";
import { type ForgetCounts, type ForgetParts, findToForget, forget, readEnvironment } from "#admin";
import { canonicalUrl } from "#feeds";
import { removeCopies } from "#lab";
import { type AskedToForget, describeActor, formatTime, rulesByQuery } from "#monitor";
import { UserError } from "../lib/errors.ts";
import { counted } from "../lib/numbers.ts";
import { askForYes } from "./common/ask-questions.ts";
import { configInUse, loadRulesInUse, timezoneInUse } from "./common/load-rules-in-use.ts";
import { notedInShell } from "./common/note-in-shell.ts";
import { print, printJson } from "./common/print.ts";
import { printRows } from "./common/print-rows.ts";
import { shellActor, withAlertActions } from "./common/with-alert-actions.ts";
import { withTables } from "./local-api/with-tables.ts";

interface Options {
  readonly source?: string;
  readonly as?: string;
  readonly by?: string;
  readonly dryRun: boolean;
  readonly yes: boolean;
  readonly json: boolean;
}

/** `earshot forget`: a person's right to be forgotten, by hand. */
export function defineForgetCommand(command: Command, env: NodeJS.ProcessEnv): void {
  command
    .argument("[who]", "an author (handle or name, exactly as it is shown) or the address of a mention")
    .option("--source <source>", "only on this site (news.example) or page type (twitter, forum)")
    .option("--as <what>", "author or url, where it could be either")
    .option("--dry-run", "count, and change nothing", false)
    .option("--yes", "do not ask", false)
    .option("--by <name>", "who does it (default: your name on this machine)")
    .option("--requests", "list earlier requests: who, when, how many", false)
    .option("--json", "answer as JSON", false)
    .addHelpText("after", HELP)
    .action((who: string | undefined, options: Options & { readonly requests: boolean }) =>
      options.requests ? listRequests(options, env) : run(who ?? "", options, env),
    );
}

const HELP = `
Deletes every mention of an author, or of one address, for a person who asks for it: the mentions, what rules counted,
names and words in alerts, stories, digests and messages in Slack, dead letters. With "listen" in earshot.yaml also from
Earshot's own Listening API. It cannot be undone. The same mentions are refused when they come again, and so are others
of the author from before now. What the author publishes later comes in as before.

What is stored of the request: who, when, how many, and a keyed hash of what was asked. No name and no address.

What it cannot reach: mails that were sent, what people copied, backups, and a Listening API that is not ours (ask its
owner). A webhook gets the corrected message once more, with "correction"; deleting its copy is up to its owner.

Examples:
  earshot forget "@ann_example" --dry-run         how many are there?
  earshot forget "Ann Example" --source blog.example
  earshot forget https://blog.example/posts/17
  earshot forget "@ann_example" --yes --json      without questions, for a script
  earshot forget --requests                       who did it, when, and how many mentions

Exit codes: 0 done, or nothing found; 1 failed; 2 an error in your input, or not agreed; 130 interrupted.`;

async function run(who: string, options: Options, env: NodeJS.ProcessEnv): Promise<void> {
  const typed = askedFor(who, options);
  const isListening = (await configInUse(env))?.listen != null;
  await withAlertActions(env, async (actions) => {
    const rules = await loadRulesInUse(env);
    const { home } = readEnvironment(env);
    const parts = {
      ...{ ...actions, rulesFor: rulesByQuery(rules) },
      removeCopies: () => removeCopies(home, Number.POSITIVE_INFINITY),
    };
    if (isListening) await withTables(env, ({ db }) => carryOut({ ...parts, local: db }, typed, options));
    else await carryOut({ ...parts, local: null }, typed, options);
  });
}

async function listRequests({ json }: { readonly json: boolean }, env: NodeJS.ProcessEnv): Promise<void> {
  await withAlertActions(env, async ({ stores }) => {
    const requests = await stores.forgotten.requests(1_000);
    const timezone = await timezoneInUse(env);
    const rows = requests.map(({ at, actor, what, ofOneSource, mentions, alerts, localMentions, files }) => ({
      at: formatTime(at, timezone),
      by: describeActor(actor),
      what: ofOneSource ? `${what} of one source` : what,
      ...{ mentions, alerts, "own API": localMentions, files },
    }));
    await printRows(json ? requests : rows, { json, none: "Nobody has asked to forget anything." });
  });
}

function askedFor(
  who: string,
  { source = null, as }: { source?: string | null; as?: string },
): AskedToForget {
  const value = who.trim();
  if (value === "" || value === "@") throw new UserError("name an author or an address");
  if (as !== undefined && as !== "author" && as !== "url")
    throw new UserError(`--as takes author or url, not "${as}"`);
  return { what: as ?? (/^https?:\/\//i.test(value) ? "url" : "author"), value, source };
}

async function carryOut(parts: ForgetParts, typed: AskedToForget, options: Options): Promise<void> {
  const target = await asStored(parts, typed);
  const found = await findToForget(parts, target);
  if (options.dryRun) {
    report(found, target, { ...options, isDone: false });
    return;
  }
  if (!options.yes) {
    if (!options.json) print(describe(found, target));
    await agree();
  }
  const actor = shellActor(options.by);
  // Who is forgotten is named nowhere, also not here.
  const what = target.source === null ? target.what : `${target.what} of one source`;
  const forgotten = await notedInShell(
    { ...parts, actor },
    "mention.forget",
    what,
    () => forget(parts, target, actor),
    ({ mentions }) => counted(mentions, "mention"),
  );
  report(forgotten, target, { ...options, isDone: true });
}

/** Feeds store addresses without tracking parameters; a person copies one with them. */
async function asStored(parts: ForgetParts, typed: AskedToForget): Promise<AskedToForget> {
  const canonical = typed.what === "url" ? canonicalUrl(typed.value) : null;
  if (canonical === null || canonical === typed.value) return typed;
  const { mentions, localMentions } = await findToForget(parts, typed);
  return mentions + (localMentions ?? 0) > 0 ? typed : { ...typed, value: canonical };
}

function report(
  counts: ForgetCounts,
  target: AskedToForget,
  { json, isDone }: { readonly json: boolean; readonly isDone: boolean },
): void {
  if (json) {
    printJson({ what: target.what, ...counts, forgotten: isDone });
    return;
  }
  print(describe(counts, target));
  print(
    isDone ? "Forgotten. Messages in Slack are corrected within a minute or two." : "Nothing was changed.",
  );
}

function describe(
  { mentions, alerts, localMentions, files, silences, listed, notes, sent }: ForgetCounts,
  target: AskedToForget,
): string {
  const lines = [
    `${counted(mentions, "mention")} in the monitor${alerts === null ? "" : `, ${counted(alerts, "alert")} about them`}`,
  ];
  lines.push(
    localMentions === null
      ? "The Listening API is not ours: ask its owner to delete them there, too."
      : `${counted(localMentions, "mention")} in Earshot's own Listening API`,
  );
  if (sent.length > 0)
    lines.push(
      `Messages sent: ${sent.map(({ receiver, messages }) => `${receiver} ${messages}`).join(", ")}. Slack is corrected, webhooks get a correction, mails stay where they are.`,
    );
  if (silences > 0)
    lines.push(
      `${counted(silences, "silence")} ${silences === 1 ? "names" : "name"} it, written by people: earshot silence list, earshot silence expire`,
    );
  if (listed > 0) lines.push(`${counted(listed, "entry", "entries")} on lists of authors: taken off`);
  if (notes > 0)
    lines.push(`${counted(notes, "note")} ${notes === 1 ? "names" : "name"} it: the name is taken out`);
  if (files !== null) lines.push(FILES[files]);
  if (mentions + listed + (localMentions ?? 0) === 0)
    lines.push(
      `Nothing of this ${target.what === "url" ? "address" : "author"} is stored. Handles and names are compared exactly.`,
    );
  return lines.join("\n");
}

const FILES: Readonly<Record<NonNullable<ForgetCounts["files"]>, string>> = {
  Rewritten:
    "The files of the tables were written anew. PostgreSQL's log (pg_wal) has the words until it is overwritten.",
  Partly:
    "Some tables are large or in use, or the database role may not: words may stay in their files until others write there. docs/privacy.md says what to do.",
};

/** Asks on a terminal. */
async function agree(): Promise<void> {
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new UserError("This deletes for good. Nothing was changed.", [
      "--yes does it without a question; --dry-run only counts",
    ]);
  await askForYes("Delete all of it for good?");
}
