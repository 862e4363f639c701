import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import {
  createPngRenderer,
  type MonitorConfig,
  type PngRenderer,
  type Renderer,
  RULE_TESTS,
  type Rule,
} from "#monitor";
import { monotonicMs } from "../../lib/clock.ts";
import { openTogether } from "../../lib/closing.ts";
import { atMost } from "../../lib/concurrency.ts";
import { describeError, describeFault, type Fault, UserError } from "../../lib/errors.ts";
import { DAY, type Instant } from "../../lib/instant.ts";
import { formatLocalDate, localDateOf, offsetAt } from "../../lib/local-time.ts";
import type { Logger } from "../../lib/log.ts";
import { judgeExpectation } from "./judge-expectation.ts";
import { FORECAST_WRONG, type RuleTestRun, runRuleTest } from "./run-rule-test.ts";
import { compareSnapshot } from "./snapshots.ts";
import { momentIn, startOf } from "./story.ts";
import { openTestDatabases, type TestDatabases } from "./test-databases.ts";
import { type RuleTest, readRuleTest, unknownNames } from "./test-file.ts";

export interface RunOptions {
  readonly config: MonitorConfig;
  readonly rules: readonly Rule[];
  /** The templates of the configuration. */
  readonly renderer: Renderer;
  /** Writes snapshots instead of comparing with them. */
  readonly update: boolean;
  /** Also plays the times at which nothing happens; absent: no. The results are the same. */
  readonly everyStop?: boolean;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** Called after each test. */
  readonly onResult: (result: RuleTestResult) => void;
}

export interface RuleTestResult {
  readonly file: string;
  /** The name of the file without its ending. */
  readonly name: string;
  /** The rule that it is about; null if the file cannot be read. */
  readonly rule: string | null;
  readonly description: string | null;
  /** `broken`: it could not be run. */
  readonly outcome: "Passed" | "Failed" | "Broken";
  readonly failures: readonly Failure[];
  /** What happened; null if it could not be run. */
  readonly run: RuleTestRun | null;
  /** Shows a moment in the time zone of the test. */
  readonly show: (at: Instant) => string;
  readonly tookMs: number;
  /** Whether a snapshot was written. */
  readonly wroteSnapshot: boolean;
}

/** One expectation that was not met, or a fault of the file. */
interface Failure {
  readonly line: number;
  readonly message: string;
}

const ENDING = ".test.yaml";

/** The rule tests beside a folder of rules, in order of names. */
export async function findRuleTests(rules: string): Promise<string[]> {
  const folder = join(rules, RULE_TESTS);
  const entries = await readdir(folder).catch(() => []);
  return entries
    .filter((entry) => entry.endsWith(ENDING))
    .sort()
    .map((entry) => join(folder, entry));
}

export interface RuleTestRunner {
  /** Runs tests, two at a time; their results come in the order of the files. */
  run(files: readonly string[], options: RunOptions): Promise<RuleTestResult[]>;
  close(): Promise<void>;
}

/**
 * Opens what runs share: the databases that tests begin with, on the server of this address, and one thread for all
 * pictures, which takes longer to start than to draw.
 */
export async function openRuleTestRunner(serverUrl: string): Promise<RuleTestRunner> {
  return openTogether(async (closing) => {
    const pictures = createPngRenderer();
    closing.add(pictures.close);
    const databases = await openTestDatabases(serverUrl);
    closing.add(databases.close);
    return {
      run: (files, options) => runAll(files, { ...options, pictures, databases }),
      close: closing.close,
    };
  });
}

interface RunParts extends RunOptions {
  readonly pictures: PngRenderer;
  readonly databases: TestDatabases;
}

async function runAll(files: readonly string[], parts: RunParts): Promise<RuleTestResult[]> {
  const inTurn = atMost(AT_ONCE, files.length);
  const running = files.map((file) =>
    inTurn(async (): Promise<RuleTestResult> => {
      parts.signal.throwIfAborted();
      const startedAt = monotonicMs();
      const judged = await runOne(file, parts);
      return { ...judged, tookMs: monotonicMs() - startedAt };
    }),
  );
  // The databases of those that still run must not go away below them.
  const ended = Promise.allSettled(running);
  const results: RuleTestResult[] = [];
  try {
    for (const one of running) {
      const result = await one;
      results.push(result);
      parts.onResult(result);
    }
  } finally {
    await ended;
  }
  return results;
}

/** A test waits for its PostgreSQL half of the time: another one can use this process meanwhile. */
const AT_ONCE = 2;

async function runOne(file: string, options: RunParts): Promise<Omit<RuleTestResult, "tookMs">> {
  const name = basename(file, ENDING);
  const read = await readRuleTest(file);
  const rule = "test" in read ? read.test.rule : null;
  const broken = (failures: readonly Failure[], description: string | null = null) => ({
    file,
    name,
    rule,
    description,
    outcome: "Broken" as const,
    failures,
    run: null,
    show: String,
    wroteSnapshot: false,
  });
  if ("faults" in read) return broken(read.faults.map(toFailure));
  const { test } = read;
  const description = test.description ?? null;
  const names = queriesOf(test, options.rules);
  const unknown = unknownNames(test, {
    rules: options.rules.map((rule) => rule.name),
    receivers: options.config.receivers.map((receiver) => receiver.name),
    queries: names,
  });
  if (unknown.length > 0)
    return broken(
      unknown.map((issue) => toFailure(test.locate(issue))),
      description,
    );
  try {
    const show = createShow(test);
    const judge = (observed: RuleTestRun["observed"]): Failure[] => failuresOf(test, observed, show);
    const wantsWhy = (observed: RuleTestRun["observed"]): boolean => judge(observed).length > 0;
    const play = (everyStop: boolean) =>
      options.databases.withDatabase(test, names, ({ url, queries }) =>
        runRuleTest({ ...options, databaseUrl: url, queries, wantsWhy, everyStop }, test),
      );
    let run = await play(options.everyStop === true);
    if (run === FORECAST_WRONG) {
      options.log.warn(
        { test: name },
        "the forecast of a rule test was wrong; playing every stop of its clock",
      );
      run = await play(true);
    }
    if (run === FORECAST_WRONG) throw new Error("nothing was forecast");
    const snapshot = await compareSnapshot(file, run.observed.messages, show, options.update);
    const failures = [
      ...judge(run.observed),
      ...(snapshot.outcome === "Differs" ? [{ line: 1, message: snapshot.because }] : []),
    ];
    const outcome = failures.length === 0 ? "Passed" : "Failed";
    return {
      file,
      name,
      rule,
      description,
      outcome,
      failures,
      run,
      show,
      wroteSnapshot: snapshot.outcome === "Written",
    };
  } catch (error) {
    if (options.signal.aborted) throw error;
    const details = error instanceof UserError ? error.details.map((one) => `\n  ${one}`).join("") : "";
    return broken(
      [{ line: 1, message: `it could not be run: ${describeError(error)}${details}` }],
      description,
    );
  }
}

function failuresOf(
  test: RuleTest,
  observed: RuleTestRun["observed"],
  show: (at: Instant) => string,
): Failure[] {
  const start = startOf(test);
  const ends = observed.alerts.flatMap(({ seen }) => seen.map(({ at }) => at));
  const end = Math.max(start, ...ends, ...observed.messages.map(({ at }) => at));
  const context = { rule: test.rule, momentOf: (text: string) => momentIn(test, text), show, start, end };
  return test.expect.flatMap((expected, index) => {
    const judged = judgeExpectation(expected, observed, context);
    if (judged.outcome === "Met") return [];
    return [{ line: test.locate({ path: ["expect", index], message: "" }).line, message: judged.because }];
  });
}

function toFailure(fault: Fault): Failure {
  return { line: fault.line, message: describeFault(fault) };
}

/** The queries of the story; without any, one that the rule applies to. */
function queriesOf(test: RuleTest, rules: readonly Rule[]): string[] {
  if (test.queries !== undefined) return test.queries;
  const named = [...new Set(test.story.flatMap(({ query }) => query ?? []))];
  if (named.length > 0) return named;
  const patterns = rules.find((rule) => rule.name === test.rule)?.queries ?? [];
  return [
    patterns.map((pattern) => pattern.replaceAll(/[*?]/g, "").trim()).find((name) => name !== "") ?? "Acme",
  ];
}

/** `09:15` on the day of the start, `day 2 09:15` later. */
function createShow(test: RuleTest): (at: Instant) => string {
  const { zone, date } = test.start;
  return (at) => {
    const local = new Date(at + offsetAt(at, zone)).toISOString();
    const days = Math.round((Date.parse(formatLocalDate(localDateOf(at, zone))) - Date.parse(date)) / DAY);
    return `${days === 0 ? "" : `day ${days + 1} `}${local.slice(11, 16)}`;
  };
}
