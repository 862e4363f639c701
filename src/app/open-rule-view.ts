import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { LEARN_MS, storedMentions } from "../backtest/stored-mentions.ts";
import { drawTry } from "../backtest/try-chart.ts";
import { boundTry, type Trial, tryRule } from "../backtest/try-rule.ts";
import { type Clock, monotonicMs } from "../lib/clock.ts";
import { DAY, floorTo, type Instant, SECOND, toIso } from "../lib/instant.ts";
import { readYaml } from "../lib/read-yaml.ts";
import type { Logger } from "../log.ts";
import { BUCKET_MS } from "../model/judging.ts";
import { eventAt } from "../model/mention.ts";
import { worstDelayMs } from "../model/poll.ts";
import { OWN_QUERY, type Query } from "../model/query.ts";
import type { RuleTestRecord } from "../model/rule-page.ts";
import type { RuleTryOutcome, TriedQuery } from "../model/rule-try.ts";
import type { ShownPoll } from "../model/shown.ts";
import { delayOf, describeRule, formatDelay } from "../rules/describe-rule.ts";
import { RULE_NAME, ruleNameOf, ruleVersion } from "../rules/load-rules.ts";
import { parseRule } from "../rules/parse-rule.ts";
import type { Rule } from "../rules/rule.ts";
import { ruleCompletions } from "../rules/rule-completions.ts";
import { DRAFT_KINDS, draftRule } from "../rules/rule-drafts.ts";
import { formOfContent, yamlOfForm } from "../rules/rule-form.ts";
import type { createConsoleStore } from "../store/console.ts";
import type { Stores } from "../store/stores.ts";
import type { ListedRule, RuleView, RuleWords } from "../web/rule-view.ts";
import type { RuleFiles } from "./open-version.ts";
import { saveRule } from "./save-rule.ts";

export interface RuleViewParts extends RuleFiles {
  readonly stores: Stores;
  readonly facts: Pick<ReturnType<typeof createConsoleStore>, "coverage" | "newestMentions">;
  readonly clock: Clock;
  readonly timezone: string;
  readonly log: Logger;
  /** Of a try; only tests pass others. */
  readonly limits?: TryLimits;
}

interface TryLimits {
  readonly mentions: number;
  readonly queries: number;
  readonly ms: number;
}

const LIMITS: TryLimits = { mentions: 150_000, queries: 20, ms: 10 * SECOND };
/** Tries of all sessions at a time. */
const MOST_TRIES = 2;
const EDITS = 20;
const CHARTS = 3;
const QUERIES = 20;
const ALERTS = 20;
const WORDS_FROM = 500;
const MOST_WORDS = 100;
/** Rows of one answer, which block the process while they are read. */
const ROWS = 500;

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
      const [tests, edits, polls] = await Promise.all([
        stores.rulePages.tests(),
        stores.rulePages.edits(name, EDITS),
        facts.coverage(clock.now() - DAY),
      ]);
      const rule = "rule" in found.read ? found.read.rule : null;
      const delay = rule === null ? null : delayOf(rule, longestPoll(rule, polls, clock.now()));
      return {
        ...listed(found, tests),
        text: found.text,
        description: rule?.description ?? null,
        says: rule === null ? [] : describeRule(rule),
        delay: delay === null ? null : { ...delay, says: formatDelay(delay) },
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
    formOf: (text) => {
      const { content, faults } = readYaml("rule.yaml", text);
      return faults.length > 0 ? null : formOfContent(content);
    },
    yamlOf: yamlOfForm,
    attempt,
    save: (asked, now) => saveRule(parts, asked, now),
    nameOf: (text) => (/[a-z0-9]/i.test(text) ? ruleNameOf(text).slice(0, 60).replace(/-$/, "") : null),
    completions: ruleCompletions(),
    words: async () => wordsOf(await facts.newestMentions(WORDS_FROM), await stores.queries.active()),
  };
}

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

/** One try at a time for a session: a newer one ends the one before. A few for all sessions together. */
function createTries(parts: RuleViewParts): RuleView["attempt"] {
  const running = new Map<string, AbortController>();
  return async ({ session, name, text, days }, signal) => {
    const fileName = RULE_NAME.test(name) ? name : "new-rule";
    const read = parseRule(fileName, `${fileName}.yaml`, text);
    if ("faults" in read) return { outcome: "Faulty", faults: read.faults };
    running.get(session)?.abort();
    if (running.size >= MOST_TRIES && !running.has(session)) return { outcome: "Busy" };
    const own = new AbortController();
    running.set(session, own);
    const ended = AbortSignal.any([signal, own.signal]);
    try {
      return await attempt(parts, read.rule, days, ended);
    } catch (error) {
      if (ended.aborted) return { outcome: "Ended" };
      throw error;
    } finally {
      if (running.get(session) === own) running.delete(session);
    }
  };
}

async function attempt(
  { stores, notifyConfig, clock, timezone, limits = LIMITS }: RuleViewParts,
  rule: Rule,
  days: number,
  signal: AbortSignal,
): Promise<RuleTryOutcome> {
  const started = monotonicMs();
  const all = (await stores.queries.active()).filter(
    (query) => query.queryId !== OWN_QUERY.queryId && rule.appliesTo(query),
  );
  if (all.length === 0) return { outcome: "NoQuery" };
  const to = clock.now();
  const from = to - days * DAY;
  const ids = all.map(({ queryId }) => queryId);
  const arrivals = await stores.mentions.arrivalsByDay(ids, from - LEARN_MS);
  const range = boundTry(all, arrivals, { learnFrom: from - LEARN_MS, from, to }, limits);
  const { queries } = range;
  signal.throwIfAborted();
  const trial = await tryRule({
    ...{ rule, queries, notifyConfig, signal, to },
    from: range.from,
    mentions: storedMentions(stores, queries, range.learnFrom, ROWS),
    mostMs: limits.ms,
  });
  const cut = [
    ...range.cut,
    ...(trial.until < to
      ? [
          `It took too long and was cut: it covers the time until ${toIso(trial.until).slice(0, 16).replace("T", " ")} UTC.`,
        ]
      : []),
  ];
  const { firstAt } = trial.simulated;
  const start = Math.max(range.from, firstAt ?? range.from);
  if (start > range.from + DAY) cut.push(`Mentions are stored since ${toIso(start).slice(0, 10)} only.`);
  const shown = await shownQueries(trial, rule, queries, range.from, timezone, signal);
  const names = new Map(queries.map((query) => [query.queryId, query]));
  const { alerts } = trial.simulated;
  return {
    outcome: "Tried",
    from: start,
    to,
    until: trial.until,
    learnedFrom: Math.max(range.learnFrom, firstAt ?? range.learnFrom),
    cut,
    mentions: trial.mentions,
    matched: trial.matched,
    examples: trial.examples.flatMap((mention) => {
      const query = names.get(mention.queryId);
      if (query === undefined) return [];
      const { projectId, name } = query;
      return [{ mention, projectId, queryName: name, eventAt: eventAt(mention) }];
    }),
    alertCount: alerts.length,
    alerts: alerts.slice(-ALERTS).reverse(),
    messages: messagesOf(trial),
    queries: shown,
    queryCount: queries.length,
    tookMs: Math.round(monotonicMs() - started),
  };
}

function messagesOf({ simulated }: Trial): readonly { receiver: string; messages: number }[] {
  const counts = new Map<string, number>();
  for (const { receiver } of simulated.notifications) counts.set(receiver, (counts.get(receiver) ?? 0) + 1);
  return [...counts]
    .map(([receiver, messages]) => ({ receiver, messages }))
    .sort((a, b) => b.messages - a.messages);
}

async function shownQueries(
  trial: Trial,
  rule: Rule,
  queries: readonly Query[],
  from: Instant,
  zone: string,
  signal: AbortSignal,
): Promise<readonly TriedQuery[]> {
  const { simulated, matchedBy, counts, until } = trial;
  const known = queries
    .map((query) => ({
      query,
      matched: matchedBy.get(query.queryId) ?? 0,
      alerts: simulated.alerts.filter(({ queryId }) => queryId === query.queryId),
    }))
    .sort((a, b) => b.alerts.length - a.alerts.length || b.matched - a.matched)
    .slice(0, QUERIES);
  const shown: TriedQuery[] = [];
  for (const { query, matched, alerts } of known) {
    signal.throwIfAborted();
    const ids = new Set(alerts.map(({ id }) => id));
    const chart =
      shown.length >= CHARTS
        ? null
        : await drawTry({
            query,
            counts: counts.get(query.queryId) ?? new Map(),
            subject: subjectOf(rule),
            alerts,
            notifiedAt: [
              ...new Set(
                simulated.notifications
                  .filter(
                    ({ alertId, createdAt }) => alertId !== null && ids.has(alertId) && createdAt >= from,
                  )
                  .map(({ createdAt }) => floorTo(createdAt, BUCKET_MS)),
              ),
            ],
            since: simulated.firstAt ?? from,
            ...{ from, to: until, zone },
          });
    shown.push({ name: query.name, matched, alerts: alerts.length, chart });
  }
  return shown;
}

function subjectOf(rule: Rule): string {
  if (rule.kind === "window") return rule.window.subject;
  return rule.kind === "new" ? rule.novelty.subject : "matching mentions";
}
