import { watch } from "node:fs";
import { writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { Command } from "commander";
import { formatSeconds, junitXml, type RuleTestResult, reportLines, timeline } from "#lab";
import { monotonicMs } from "../lib/clock.ts";
import { describeError, UserError } from "../lib/errors.ts";
import { counted } from "../lib/numbers.ts";
import { aborted, stopSignal } from "../lib/stop-signal.ts";
import { print, printError, printJson } from "./common/print.ts";
import { ExitError } from "./common/run.ts";
import { configForTests, createRuleTests, type RuleTestOptions, type RuleTests } from "./run-rule-tests.ts";

interface TestOptions extends RuleTestOptions {
  readonly watch: boolean;
  readonly junit?: string;
  readonly json: boolean;
}

/** `earshot test`: runs rule tests. */
export function defineTestCommand(command: Command, env: NodeJS.ProcessEnv): void {
  command
    .argument("[files...]", "rule tests (default: all of tests/ in the folder of rules)")
    .option(
      "--config <file>",
      "configuration (default: earshot.yaml; without it, the demo's receivers and routes)",
    )
    .option("--rules <folder>", "rules, instead of those that the configuration names")
    .option("--templates <folder>", "templates, instead of those that the configuration names")
    .option(
      "--update",
      "write the messages of each test to tests/snapshots/; later runs compare with them",
      false,
    )
    .option("--watch", "run again when a rule, a test or a template changes", false)
    .option("--junit <file>", "also write the results as JUnit XML")
    .option("--json", "print the results as one JSON object", false)
    .addHelpText("after", HELP)
    .action(async (files: string[], options: TestOptions) => {
      const tests = createRuleTests(env);
      try {
        if (options.watch) return await watchAndRun(tests, files, options, env);
        const stop = stopSignal(() => printError("\nStopping …"));
        const results = await runOnce(tests, files, options, stop);
        const bad = results.filter(({ outcome }) => outcome !== "Passed").length;
        if (bad > 0) throw new ExitError(`${bad} of ${counted(results.length, "rule test")} failed`, 1);
      } finally {
        await tests.close();
      }
    });
}

const HELP = `
A test is a story in time, and what must and must not be sent:

  # rules/tests/refund-storm.test.yaml
  rule: refund-storm
  start: 2026-03-02T08:00 Europe/Berlin
  usual: { mentions: 20 per hour, negative: 25%, days: 14 }
  story:
    - at: "09:00"
      mentions: 60 within 20m
      text: ["Where is my refund?", "I want my money back"]
      sentiment: negative
  expect:
    - { by: "09:30", alert: firing, severity: critical, to: [crisis, on-call] }
    - { by: "09:30", email: contains "refund" }
    - { never: { rule: safety-category, alert: any } }

It runs on the real line with a clock of its own: polls, tables, rules, alerts, routes and templates. Messages go to a
Slack and a mailbox on this machine; nobody is notified. docs/rule-tests.md explains every key.

Examples:
  earshot test
  earshot test my-rules/tests/refund-storm.test.yaml --rules my-rules
  earshot test --watch
  earshot test --junit report.xml

Exit codes: 0 all passed, 1 a test failed, 2 a fault in the configuration, a rule or a template.`;

async function runOnce(
  tests: RuleTests,
  files: readonly string[],
  options: TestOptions,
  signal: AbortSignal,
): Promise<readonly RuleTestResult[]> {
  const startedAt = monotonicMs();
  const onResult = (result: RuleTestResult): void => {
    if (!options.json) for (const line of reportLines(result)) print(line);
  };
  const results = await tests.run(files, options, { signal, onResult });
  if (options.json) printJson({ tests: results.map(toJson) });
  else print(`${summary(results)}, in ${formatSeconds(monotonicMs() - startedAt)}`);
  if (options.junit !== undefined) await writeReport(options.junit, junitXml(results));
  return results;
}

async function writeReport(file: string, xml: string): Promise<void> {
  await writeFile(file, xml).catch((error: unknown) => {
    throw new UserError(`--junit ${file} cannot be written: ${describeError(error)}`);
  });
}

function summary(results: readonly RuleTestResult[]): string {
  const passed = results.filter(({ outcome }) => outcome === "Passed").length;
  return `${counted(results.length, "rule test")}: ${passed} passed, ${results.length - passed} failed`;
}

function toJson({ file, name, outcome, failures, run, show, tookMs }: RuleTestResult) {
  return {
    file,
    name,
    outcome,
    failures,
    tookMs: Math.round(tookMs),
    timeline: run === null ? [] : timeline(run, show),
  };
}

/** Runs them at once, and again after each change, until Ctrl-C. */
async function watchAndRun(
  tests: RuleTests,
  files: readonly string[],
  options: TestOptions,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const signal = stopSignal();
  const config = await configForTests(options, env);
  const folders = new Set([config.rules, config.templates, ...files.map((file) => dirname(resolve(file)))]);
  let changed = true;
  let wake = (): void => {};
  const watchers = [...folders].map((folder) =>
    watch(folder, { recursive: true }, (_, name) => {
      // What a run writes itself is no change.
      if (name?.includes("snapshots") === true) return;
      changed = true;
      wake();
    }),
  );
  try {
    while (!signal.aborted) {
      if (changed) {
        changed = false;
        await runOnce(tests, files, options, signal).catch((error: unknown) => {
          if (signal.aborted) return;
          if (!(error instanceof UserError)) throw error;
          printError(error.message);
          for (const detail of error.details) printError(`  ${detail}`);
        });
        if (!signal.aborted) print("Waiting for a change. Ctrl-C ends it.");
        continue;
      }
      await Promise.race([
        new Promise<void>((done) => {
          wake = done;
        }),
        aborted(signal),
      ]);
    }
  } finally {
    for (const one of watchers) one.close();
  }
}
