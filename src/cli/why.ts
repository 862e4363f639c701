import type { Command } from "commander";
import { type Config, openShellBudget, readEnvironment } from "#admin";
import {
  type AlertWhy,
  accountOf,
  askEach,
  createMemoryTokenStore,
  createSourceClient,
  formatTime,
  type MentionWhy,
  type SourceClient,
  type SourceName,
  sourceOf,
  sourceOfProject,
  type UnreadMention,
  type WhyParts,
  whyAlert,
  whyMention,
  whyText,
  whyUnreadMention,
} from "#monitor";
import { type Clock, systemClock } from "../lib/clock.ts";
import { createClosing } from "../lib/closing.ts";
import { UserError } from "../lib/errors.ts";
import { SECOND } from "../lib/instant.ts";
import { findAlertOrNull } from "./alerts/find-alert.ts";
import { findAccesses } from "./api/access.ts";
import { commandLog } from "./common/command-log.ts";
import { configInUse, loadRulesInUse } from "./common/load-rules-in-use.ts";
import { print, printJson } from "./common/print.ts";
import { withAlertActions } from "./common/with-alert-actions.ts";

interface WhyOptions {
  readonly rules?: string;
  readonly text?: string;
  readonly query?: string;
  readonly ask: boolean;
  readonly json: boolean;
}

/** `earshot why`: answers "why did I (not) get this?". */
export function defineWhyCommand(command: Command, env: NodeJS.ProcessEnv): void {
  command
    .argument(
      "[alert-or-mention]",
      "id of an alert or its first letters, id of a mention, or the address of either",
    )
    .option("--text <text>", "a text instead of a mention: which queries and rules it meets")
    .option("--query <name>", "only this query, with --text")
    .option("--no-ask", "do not ask the source for a mention that is not stored")
    .option("--rules <folder>", "rules, instead of those of the configuration")
    .option("--json", "answer as JSON", false)
    .addHelpText("after", HELP)
    .action((subject: string | undefined, options: WhyOptions) => why(subject, options, env));
}

async function why(subject: string | undefined, options: WhyOptions, env: NodeJS.ProcessEnv): Promise<void> {
  if ((subject === undefined) === (options.text === undefined))
    throw new UserError("say what to explain: an alert, a mention, or a text", [
      "earshot why ALERT-OR-MENTION, or earshot why --text TEXT; not both",
    ]);
  const rules = await loadRulesInUse(env, options.rules);
  const config = await configInUse(env);
  const timezone = config?.timezone ?? "UTC";
  await withAlertActions(env, async ({ stores, facts, clock }) => {
    const moment = (at: number): string => formatTime(at, timezone);
    const parts: WhyParts = {
      stores,
      facts,
      rules,
      moment,
      now: () => clock.now(),
      ...fromConfig(config, clock),
    };
    const answer = await answerOf(parts, subject, options, env);
    if (options.json) return printJson(answer.kind === "mentions" ? answer.mentions : answer.it);
    const { printAlert, printMention, printUnread } = await import("./alerts/print-why.ts");
    const lines =
      answer.kind === "alert"
        ? printAlert(answer.it, timezone)
        : answer.kind === "mentions"
          ? answer.mentions.flatMap((one) => printMention(one, timezone))
          : printUnread(answer.it, options.text !== undefined);
    for (const line of lines) print(line);
  });
}

type Answer =
  | { readonly kind: "alert"; readonly it: AlertWhy }
  | { readonly kind: "mentions"; readonly mentions: readonly MentionWhy[] }
  | { readonly kind: "unread"; readonly it: UnreadMention };

async function answerOf(
  parts: WhyParts,
  subject: string | undefined,
  { text, query, ask }: WhyOptions,
  env: NodeJS.ProcessEnv,
): Promise<Answer> {
  if (subject === undefined) {
    const answer = await askingSource(parts, env, ask, (able) => whyText(able, text ?? "", query ?? null));
    return { kind: "unread", it: answer };
  }
  const alert = await findAlertOrNull(parts.stores, subject);
  if (alert !== null) return { kind: "alert", it: await whyAlert(parts, alert) };
  const mentions = await whyMention(parts, subject);
  if (mentions.length > 0) return { kind: "mentions", mentions };
  return {
    kind: "unread",
    it: await askingSource(parts, env, ask, (able) => whyUnreadMention(able, subject)),
  };
}

function fromConfig(config: Config | null, clock: Clock): Partial<WhyParts> {
  if (config === null) return {};
  const receivers = config.receivers.map(({ name }) => name);
  return {
    routing: { routes: config.routes, receivers },
    keptFrom: clock.now() - config.retention,
    historyMs: (projectId) => sourceOf(config.sources, projectId)?.history ?? 0,
  };
}

/** A person waits: after this the answer says what is known here. */
const ASK_WITHIN_MS = 10 * SECOND;

/** With the source, out of the budget for the shell; without one where there is no account to ask with. */
async function askingSource<Result>(
  parts: WhyParts,
  env: NodeJS.ProcessEnv,
  ask: boolean,
  work: (parts: WhyParts) => Promise<Result>,
): Promise<Result> {
  if (!ask) return work(parts);
  const environment = readEnvironment(env);
  const clients = new Map<SourceName, SourceClient>();
  const closing = createClosing();
  try {
    for (const access of await findAccesses(env, systemClock)) {
      const { baseUrl, credentials, prefix } = access;
      const account = accountOf({ baseUrl, ...credentials });
      const timeoutMs = Math.min(access.timeoutMs ?? ASK_WITHIN_MS, ASK_WITHIN_MS);
      const budget = await openShellBudget(environment, { account, timeoutMs, log: commandLog(env) });
      if (budget !== null) closing.add(budget.close);
      const client = createSourceClient({
        ...{ baseUrl, credentials, timeoutMs },
        tokens: createMemoryTokenStore(),
        signal: AbortSignal.timeout(2 * ASK_WITHIN_MS),
        prefix,
        gate: budget?.gate,
      });
      closing.add(client.close);
      clients.set(prefix === undefined ? "account" : "feeds", client);
    }
    if (clients.size === 0) return await work(parts);
    const source = askEach((projectId) => {
      const client = clients.get(sourceOfProject(projectId));
      if (client === undefined) throw new UserError("it is not running here; earshot start runs it");
      return client.extensions;
    });
    return await work({ ...parts, source });
  } finally {
    await closing.close();
  }
}

const HELP = `
A mention that is stored: what every rule made of it, and by how much it missed.
A mention that is not stored: the source is asked (one call for a project, out of the budget for the shell) whether
a query has it, and which term of the query failed. An alert: what it measured, and why each receiver was notified or not.

Examples:
  earshot why 0199b2c4-7d1a
  earshot why https://social.example/ann/status/1
  earshot why 1789012345678901234 --json | jq '.[].rules'
  earshot why --text "Where is my refund?" --query Acme`;
