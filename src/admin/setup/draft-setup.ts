import { stringify } from "yaml";
import { brandQuery } from "#feeds";
import { inYaml, listInYaml, ruleNameOf } from "#monitor";
import { UserError } from "../../lib/errors.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { ChosenFeed } from "./choose-feeds.ts";
import { draftSetupRules, type SchemaLines } from "./draft-setup-rules.ts";

/** What a first configuration needs to know of a brand. */
export interface SetupAnswers {
  /** Name of its query. */
  readonly brand: string;
  readonly spellings: readonly string[];
  /** Words of texts that mean something else. */
  readonly not: readonly string[];
  /** What its query means, in plain words; null: the words say it. */
  readonly about: string | null;
  readonly rivals: readonly string[];
  /** Two letters each; empty for any. */
  readonly languages: readonly string[];
  readonly feeds: readonly ChosenFeed[];
  /** Address that owners of feeds can write to. */
  readonly contact: string | null;
  readonly timezone: string;
  /** The keys of the receiver, without its name; null: messages go to the Inbox of the console. */
  readonly receiver: JsonObject | null;
}

/** Files with their paths relative to the folder of earshot.yaml, which comes first. */
export interface SetupDraft {
  readonly files: readonly { readonly path: string; readonly text: string }[];
  /** The part `listen` of earshot.yaml alone. */
  readonly listen: string;
  readonly queries: readonly { readonly name: string; readonly text: string }[];
  /** Sentences. */
  readonly warnings: readonly string[];
}

/**
 * A first configuration of a brand: `earshot.yaml`, rules, and a test of each rule. Pure. Throws a UserError for a
 * name that is too long, a spelling that cannot be searched, or a text that would be filled in from the environment.
 */
export function draftSetup(answers: SetupAnswers, schemas: SchemaLines): SetupDraft {
  const { brand, spellings, not, about, receiver, ...more } = answers;
  // The token of Slack is a variable that the command names itself.
  const { token: _, ...keys } = receiver ?? {};
  refuseVariables([brand, spellings, not, about, more, keys]);
  const rivals = [...new Set(answers.rivals)].filter((name) => name !== brand);
  for (const name of [brand, ...rivals])
    if (name.length > LONGEST_NAME)
      throw new UserError(`"${name.slice(0, 30)}…" cannot be a name: ${LONGEST_NAME} characters at most`);
  const own = brandQuery(spellings, not);
  const others = rivals.map((name) => ({ name, ...brandQuery([name]) }));
  const queries = [{ name: brand, text: own.text }, ...others.map(({ name, text }) => ({ name, text }))];
  const folder = rulesFolderOf(brand);
  const rules = draftSetupRules({ brand, rivals }, schemas);
  const listen = draftListen(answers, queries);
  return {
    ...{ queries, listen },
    files: [
      { path: "earshot.yaml", text: draftConfig(answers, listen, folder, schemas.config) },
      ...rules.map(({ path, text }) => ({ path: `${folder}/${path}`, text })),
    ],
    warnings: [...own.warnings, ...others.flatMap(({ warnings }) => warnings)],
  };
}

const LONGEST_NAME = 100;

/** A folder of its own, because `rules` may hold others. */
export function rulesFolderOf(brand: string): string {
  return `rules-${ruleNameOf(brand).slice(0, 40).replace(/-$/, "")}`;
}

/**
 * `${NAME}` in earshot.yaml is a variable of the environment, and may be a secret. What somebody types for a set-up goes
 * to feeds and into messages, so it is refused there: throws a UserError.
 */
export function refuseVariables(typed: unknown): void {
  if (!JSON.stringify(typed).includes("${")) return;
  throw new UserError("${ cannot be used here: earshot.yaml would fill in a variable of the environment");
}

function draftListen(
  { brand, about, languages, feeds, contact }: SetupAnswers,
  queries: readonly { readonly name: string; readonly text: string }[],
): string {
  const limits = languages.length === 0 ? "" : `, languages: ${listInYaml(languages)}`;
  const meant = about === null ? "" : `, about: ${quoted(about)}`;
  const lines = queries.map(
    ({ name, text }) =>
      `    - { name: ${flow(name)}, text: ${quoted(text)}${name === brand ? meant : ""}${limits} }`,
  );
  const sources = feeds.map(({ keys, about }) => `    # ${about}\n    - ${flowMap(keys)}`);
  return `listen:
${
  contact === null
    ? "  # Sent to the owners of the feeds, so that they can reach you.\n  # contact: press@brand.example\n"
    : `  # Sent to the owners of the feeds, so that they can reach you.\n  contact: ${inYaml(contact)}\n`
}
  # Words, "phrases", AND, OR, NOT, wild*. A word also finds @word and #word; upper and lower case are equal.
  # Too much that means something else? Add NOT (word OR "two words").
  queries:
${lines.join("\n")}

  # \`earshot feeds\` shows what each of them brings; \`earshot feeds try ADDRESS\` tries one more.
  feeds:${sources.length === 0 ? " []" : `\n${sources.join("\n")}`}
`;
}

function draftConfig(
  { timezone, receiver }: SetupAnswers,
  listen: string,
  folder: string,
  schemaLine: string,
): string {
  return `${schemaLine}
# Written by \`earshot listen\`. Change what you like: \`earshot check\` finds mistakes, docs/feeds.md and
# docs/configuration.md explain every key. Restart Earshot after a change of \`listen\`.

# What Earshot listens for, and where.
${listen}
${receiverPart(receiver)}
# Which alert goes to whom. Read from the top; the first that matches decides.
routes:
  - name: look-now
    match: { severity: warning }   # and critical
    receivers: [comms]
    repeatEvery: 12h
  # Stories to know of: several share a message, and their end is no news.
  - name: notes
    receivers: [comms]
    groupBy: [rule, query]
    repeatEvery: never
    sendResolved: false

# The day before, in one message each morning.
digests:
  - { name: morning, at: "08:00", timezone: ${timezone}, receivers: [${receiver === null ? "mail" : "comms"}] }

# Language and sentiment are found on this machine: docs/enrich.md.
# enrich: { sentiment: off }

# One file is one rule; \`earshot test\` plays the stories in its folder tests.
rules: ${folder}
timezone: ${timezone}
`;
}

function receiverPart(receiver: JsonObject | null): string {
  if (receiver !== null)
    return `# Who is notified. \`earshot send-test comms\` sends a message now.
receivers:
  - ${flowMap({ name: "comms", ...receiver })}
`;
  return `# Who is notified. Nobody is named yet, so messages stay on this machine, in the Inbox of the console:
# channel #brand-alerts (comms) and a mailbox (mail). Take the # away when you have a Slack app (docs/slack.md):
# receivers:
#   - { name: comms, kind: slack, channel: "#brand-alerts", token: "\${SLACK_BOT_TOKEN}" }
#   - { name: mail, kind: email, to: you@brand.example, from: earshot@brand.example, smtp: { host: mail.brand.example } }
`;
}

/** A text inside braces. */
function flow(text: string): string {
  return listInYaml([text]).slice(1, -1);
}

/** Always in single quotation marks, because queries have double ones. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

function flowMap(keys: JsonObject): string {
  return stringify(keys, { collectionStyle: "flow", lineWidth: 0 }).trim();
}
