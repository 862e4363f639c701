import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ListedRule, PageOptions, RuleView, RuleWords } from "#console";
import {
  type createConsoleStore,
  DRAFT_KINDS,
  delayOf,
  describeNotified,
  describeRule,
  draftRule,
  formatDelay,
  OWN_QUERY,
  parseRule,
  type Query,
  RULE_NAME,
  RULE_TESTS,
  type Rule,
  type RuleTestRecord,
  readPostedForm,
  ruleCompletions,
  ruleNameOf,
  ruleVersion,
  type ShownPoll,
  worstDelayMs,
} from "#monitor";
import { DAY, type Instant } from "../../lib/instant.ts";
import type { Logger } from "../../lib/log.ts";
import { readYaml } from "../../lib/read-yaml.ts";
import type { RuleFiles } from "./rule-files.ts";
import { createRuleReader, type RuleReader } from "./rule-reader.ts";
import { createTries, type TryParts } from "./rule-tries.ts";
import { saveRule } from "./save-rule.ts";

interface RuleViewParts extends RuleFiles, TryParts {
  readonly reader: Omit<RuleReader, "close">;
  readonly facts: Pick<ReturnType<typeof createConsoleStore>, "coverage" | "newestMentions">;
  readonly log: Logger;
}

const EDITS = 20;
const WORDS_FROM = 500;
const MOST_WORDS = 100;

/** Opens the pages of rules of a console, on its database. What people type is read in a thread, which `closing` ends. */
export function openRules(
  files: RuleFiles,
  { clock, log, timezone }: Pick<RuleViewParts, "clock" | "log" | "timezone">,
): NonNullable<PageOptions["openRules"]> {
  return (stored, closing) => {
    const reader = createRuleReader(log);
    closing.add(reader.close);
    return openRuleView({ ...files, ...stored, reader, clock, log, timezone });
  };
}

/** The rules of a folder for the console. The versions in use are those at this moment: open it when rules are loaded. */
export async function openRuleView(parts: RuleViewParts): Promise<RuleView> {
  const { stores, facts, folder, clock } = parts;
  const inUse = new Map((await readFolder(folder)).map(({ name, text }) => [name, ruleVersion(text)]));
  const attempt = createTries(parts);

  function listed({ name, text, read }: RuleInFile, tests: readonly RuleTestRecord[]): ListedRule {
    const version = ruleVersion(text);
    const rule = "rule" in read ? read.rule : null;
    return {
      name,
      version,
      title: rule?.title ?? null,
      kind: rule === null ? null : kindOf(rule),
      severities: rule?.severities ?? [],
      queries: rule?.queries ?? null,
      faults: "faults" in read ? read.faults : [],
      isInUse: inUse.get(name) === version,
      tests: tests.filter((test) => test.rule === name),
    };
  }

  return {
    list: async () => {
      const [files, tests] = await Promise.all([readFolder(folder), stores.rulePages.tests()]);
      return files.map((file) => listed(file, tests));
    },
    find: async (name) => {
      const found = RULE_NAME.test(name) ? await readOne(folder, name) : null;
      if (found === null) return null;
      const [tests, testFiles, edits, polls, queries] = await Promise.all([
        stores.rulePages.tests(),
        findTestFiles(folder, name),
        stores.rulePages.edits(name, EDITS),
        facts.coverage(clock.now() - DAY),
        stores.queries.active(),
      ]);
      const rule = "rule" in found.read ? found.read.rule : null;
      const delay = rule === null ? null : delayOf(rule, longestPoll(rule, polls, clock.now()));
      return {
        ...listed(found, tests),
        text: found.text,
        description: rule?.description ?? null,
        inWords: rule === null ? [] : [...describeRule(rule), notifiedOf(rule, queries, parts.notifyConfig)],
        testFiles,
        delay: delay === null ? null : { ...delay, inWords: formatDelay(delay) },
        edits,
      };
    },
    drafts: DRAFT_KINDS.map(({ kind, choice }) => ({ kind, choice })),
    draft: (kind) => {
      const found = DRAFT_KINDS.find((one) => one.kind === kind) ?? DRAFT_KINDS[0];
      if (found === undefined) throw new Error("there are no kinds of rules");
      const words = found.asksWords === true ? ["refund*", "money back"] : [];
      return draftRule(
        found,
        { title: found.title, severity: found.severity, queries: [], words },
        "# yaml-language-server: $schema=rule.schema.json",
      );
    },
    formOf: readPostedForm,
    readForm: parts.reader.formOf,
    writeForm: parts.reader.yamlOf,
    attempt,
    save: (rule, now) => saveRule(parts, rule, now),
    nameOf: (text) => (/[a-z0-9]/i.test(text) ? ruleNameOf(text).slice(0, 60).replace(/-$/, "") : null),
    completions: ruleCompletions(),
    words: async () => wordsOf(await facts.newestMentions(WORDS_FROM), await stores.queries.active()),
  };
}

/** Whom its alerts reach: what a rule file does not say, and everybody asks. */
function notifiedOf(
  rule: Rule,
  queries: readonly Query[],
  { routes }: RuleFiles["notifyConfig"],
): { readonly label: string; readonly text: string } {
  const own = queries.filter((query) => rule.appliesTo(query));
  return { label: "Notifies", text: describeNotified(rule, own, routes) };
}

/** The names of the tests about this rule. A file that cannot be read is none. */
async function findTestFiles(folder: string, rule: string): Promise<readonly string[]> {
  const entries = await readdir(join(folder, RULE_TESTS)).catch(() => []);
  const readings = entries
    .filter((entry) => entry.endsWith(TEST_ENDING))
    .sort()
    .map(async (entry) => {
      const text = await readFile(join(folder, RULE_TESTS, entry), "utf8").catch(() => "");
      const { content } = readYaml(entry, text);
      const isIts =
        typeof content === "object" && content !== null && "rule" in content && content.rule === rule;
      return isIts ? [entry.slice(0, -TEST_ENDING.length)] : [];
    });
  return (await Promise.all(readings)).flat();
}

const TEST_ENDING = ".test.yaml";

interface RuleInFile {
  readonly name: string;
  readonly text: string;
  readonly read: ReturnType<typeof parseRule>;
}

async function readFolder(folder: string): Promise<readonly RuleInFile[]> {
  const entries = await readdir(folder).catch(() => []);
  const names = entries
    .filter((entry) => entry.endsWith(".yaml"))
    .map((entry) => entry.slice(0, -".yaml".length))
    .filter((name) => RULE_NAME.test(name))
    .sort();
  const files = await Promise.all(names.map((name) => readOne(folder, name)));
  return files.filter((file) => file !== null);
}

async function readOne(folder: string, name: string): Promise<RuleInFile | null> {
  const text = await readFile(join(folder, `${name}.yaml`), "utf8").catch(() => null);
  return text === null ? null : { name, text, read: parseRule(name, `${name}.yaml`, text) };
}

function kindOf(rule: Rule): string {
  return rule.kind === "window" ? rule.window.type : rule.kind === "new" ? "new" : "mentions";
}

/** The longest that a visible mention waits to be read, of the queries that the rule is for. */
function longestPoll(rule: Rule, polls: readonly ShownPoll[], now: Instant): number | null {
  const waits = polls
    .filter((one) => one.active && one.poll === "added")
    .filter((one) => rule.appliesTo({ ...one, name: one.queryName, timezone: "UTC" }))
    .flatMap((one) => (one.polledAt === null ? [] : [plannedDelay(one, now)]));
  return waits.length === 0 ? null : Math.max(...waits);
}

function plannedDelay(poll: ShownPoll, now: Instant): number {
  return worstDelayMs(poll, now) ?? 0;
}

function wordsOf(
  newest: Awaited<ReturnType<RuleViewParts["facts"]["newestMentions"]>>,
  queries: readonly Query[],
): RuleWords {
  const mentions = newest.map(({ mention }) => mention);
  const distinct = (values: readonly (string | null)[]) =>
    [...new Set(values.filter((value) => value !== null && value !== ""))]
      .filter((value) => value !== null)
      .sort()
      .slice(0, MOST_WORDS);
  return {
    queries: distinct(queries.filter(({ queryId }) => queryId !== OWN_QUERY.queryId).map(({ name }) => name)),
    categories: distinct(mentions.flatMap(({ categories }) => categories.map(({ name }) => name))),
    tags: distinct(mentions.flatMap(({ tags }) => tags)),
    languages: distinct(mentions.map(({ language }) => language)),
    countries: distinct(mentions.map(({ countryCode, country }) => countryCode ?? country)),
    pageTypes: distinct(mentions.map(({ pageType }) => pageType)),
  };
}
