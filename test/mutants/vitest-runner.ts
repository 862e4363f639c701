import { setMaxListeners } from "node:events";
import { appendFileSync, readFileSync } from "node:fs";
import { inspect } from "node:util";
import { type RunnerTask, type RunnerTestCase, type RunnerTestSuite, TestRunner } from "vitest";
import { getFn, getHooks } from "vitest/suite";
import type { Journal, Plan } from "./play.ts";
import { switches } from "./switches.ts";

/**
 * Runs each test once as it is, and notes which mutants it reaches; then again for each of them that still lives. What
 * fails is killed. So a process loads everything once, and a mutant costs as much as the tests that reach it. A cold
 * run has one mutant from the beginning, for what is computed before a test: constants, lists, what files prepare.
 */
const plan = JSON.parse(readFileSync(process.env["EARSHOT_MUTANTS"] ?? "", "utf8")) as Plan;
const alive = new Set(plan.mutants);
const { reached, activate, asked } = switches();
if (plan.cold !== null) activate(plan.cold, plan.mostAsked);
write({ kind: "Process", pid: process.pid });

/** Many times what the test asks by itself. */
const mostAsked = (usually: number) => 100_000 + 20 * usually;

/** What PostgreSQL says of a text that is no statement: such a change is no mutant. */
const NO_STATEMENT = /syntax error at |could not determine data type|there is no parameter/;

export default class MutantRunner extends TestRunner {
  private isInvalid = false;

  override onAfterRunFiles(): void {
    super.onAfterRunFiles();
    write({ kind: "Ends" });
  }

  override async onBeforeRunTask(test: RunnerTestCase): Promise<void> {
    await super.onBeforeRunTask(test);
    if (plan.cold !== null) return;
    note("Outside", test);
    activate(null);
  }

  override async onAfterRunTask(test: RunnerTestCase): Promise<void> {
    super.onAfterRunTask(test);
    if (plan.cold !== null || test.result?.state !== "pass" || test.fails === true) return;
    const result = structuredClone(test.result);
    const most = mostAsked(asked());
    const here = note("Reached", test);
    if (here.some((id) => alive.has(id)) && !(await this.passes(test))) {
      write({ kind: "NotTwice", test: nameOf(test) });
    } else {
      for (const id of here) {
        if (!alive.has(id)) continue;
        write({ kind: "Tries", id, test: nameOf(test) });
        activate(id, most);
        const survived = await this.passes(test);
        activate(null);
        if (survived) continue;
        alive.delete(id);
        write({ kind: this.isInvalid ? "Invalid" : "Killed", id, test: nameOf(test) });
      }
    }
    reached.clear();
    test.result = result;
  }

  /** Once more, with all that stands around it. */
  private async passes(test: RunnerTestCase & Finishing): Promise<boolean> {
    const cleanups: unknown[] = [];
    let passed = true;
    this.isInvalid = false;
    const attempt = async (step: () => unknown) => {
      try {
        await step();
      } catch (error) {
        passed = false;
        this.isInvalid ||= NO_STATEMENT.test(inspect(error));
      }
    };
    test.result = { state: "run" };
    setMaxListeners(0, test.context.signal);
    await attempt(async () => {
      this.onBeforeTryTask(test);
      for (const suite of suitesOf(test))
        for (const hook of getHooks(suite).beforeEach) cleanups.push(await hook(test.context, suite));
      await getFn(test)();
      this.onAfterTryTask(test);
    });
    for (const suite of suitesOf(test).reverse())
      for (const hook of getHooks(suite).afterEach) await attempt(() => hook(test.context, suite));
    for (const cleanup of [...cleanups, ...(test.onFinished ?? [])].reverse())
      if (typeof cleanup === "function") await attempt(() => cleanup(test.context));
    test.onFinished = [];
    // A soft expectation throws nothing.
    return passed && (test.result.state as string) !== "fail";
  }
}

/** Vitest keeps there what a test gives to `onTestFinished`. */
interface Finishing {
  onFinished?: readonly ((context: unknown) => unknown)[];
}

/** From the outermost. */
function suitesOf(test: RunnerTestCase): RunnerTestSuite[] {
  const suites: RunnerTestSuite[] = [];
  for (let suite: RunnerTestSuite | undefined = test.suite ?? test.file; suite !== undefined; ) {
    suites.unshift(suite);
    suite = suite.suite ?? (suite === test.file ? undefined : test.file);
  }
  return suites;
}

function nameOf(test: RunnerTestCase): string {
  const names: string[] = [];
  for (let task: RunnerTask | undefined = test; task !== undefined; task = task.suite)
    names.unshift(task.name);
  return `${test.file.name}: ${names.join(" > ")}`;
}

function note(kind: "Outside" | "Reached", test: RunnerTestCase): number[] {
  const ids = [...reached];
  reached.clear();
  if (ids.length > 0) write({ kind, ids, test: nameOf(test) });
  return ids;
}

function write(line: Journal): void {
  appendFileSync(plan.journal, `${JSON.stringify(line)}\n`);
}
