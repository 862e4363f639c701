import { createStores, openDatabase, pendingMigrations, type RuleTestRecord } from "#monitor";
import { systemClock } from "../../lib/clock.ts";
import { describeError } from "../../lib/errors.ts";
import type { Instant } from "../../lib/instant.ts";
import type { Logger } from "../../lib/log.ts";

interface TestResult {
  readonly name: string;
  readonly rule: string | null;
  readonly outcome: RuleTestRecord["outcome"];
  readonly failures: readonly { readonly line: number; readonly message: string }[];
  readonly tookMs: number;
}

const LONGEST_DETAIL = 500;

/**
 * Stores the last result of each rule test in the database of the monitor, for its console. Without the monitor's tables
 * there, it stores nothing; a failure is only logged, because the tests themselves were run.
 */
export async function noteRuleTests(
  url: string,
  results: readonly TestResult[],
  versions: ReadonlyMap<string, string>,
  log: Logger,
): Promise<void> {
  const database = openDatabase({ url, connections: 1, onError: () => {} });
  try {
    if ((await pendingMigrations(database.db)).length > 0) return;
    await createStores(database.db).rulePages.noteTests(recordsOf(results, versions, systemClock.now()));
  } catch (error) {
    log.warn({ error: describeError(error) }, "the results of the rule tests are not stored for the console");
  } finally {
    await database.close();
  }
}

/** A file that names no rule in use belongs to no page. */
function recordsOf(
  results: readonly TestResult[],
  versions: ReadonlyMap<string, string>,
  ranAt: Instant,
): readonly RuleTestRecord[] {
  return results.flatMap(({ name, rule, outcome, failures: [first], tookMs }) => {
    const version = rule === null ? undefined : versions.get(rule);
    if (rule === null || version === undefined) return [];
    // A fault of a file begins with its path and line; the path of this machine says nothing on another.
    const message = first?.message.replace(/^\S+:\d+:\d+ /, "") ?? "";
    const detail = first === undefined ? "" : `line ${first.line}: ${message}`.slice(0, LONGEST_DETAIL);
    return [{ rule, test: name, outcome, detail, ruleVersion: version, ranAt, tookMs }];
  });
}
