import pg from "pg";
import { monotonicMs } from "../../src/lib/clock.ts";
import { median } from "./median.ts";

/** A part of the way of an event. It ends when the statement that begins like this is sent. */
const STAGES = [
  ["push: stored, committed, announced", "with announced as materialized"],
  ["wake: poll is due, its job added and taken", "with free as materialized"],
  ["poll begins: query, series, token, budget", "select id, kind, path, probability"],
  ["our API answers one page", "delete from earshot.failures"],
  ["the page is prepared, a transaction begins", "select project_id"],
  ["the page: stored, judged, decided, committed", "select receiver from earshot.notifications"],
  ["deliver: slot and claim", "start transaction isolation level repeatable read"],
  ["the message: facts and texts", "update earshot.notifications set leased_until_wall"],
] as const;
const LAST = "posted, the vendor has it";

/**
 * Notes when each stage of one event ends, and how many statements were sent in it, by the statements of all
 * connections of this process. Statements of other work that runs meanwhile are counted, too.
 */
export function createStages() {
  const took = new Map<string, { ms: number[]; statements: number[] }>();
  let [stage, stageAt, statements] = [STAGES.length + 1, 0, 0];
  const end = (): void => {
    const name = STAGES[stage]?.[0] ?? LAST;
    const known = took.get(name) ?? { ms: [], statements: [] };
    known.ms.push(monotonicMs() - stageAt);
    known.statements.push(statements);
    took.set(name, known);
    [stage, stageAt, statements] = [stage + 1, monotonicMs(), 0];
  };
  const query = pg.Client.prototype.query as (...words: unknown[]) => unknown;
  pg.Client.prototype.query = function (this: pg.Client, ...words: unknown[]) {
    const [first] = words;
    const text = (
      typeof first === "string" ? first : ((first as { text?: string } | null)?.text ?? "")
    ).replaceAll(/\s+/g, " ");
    if (text.trimStart().startsWith(STAGES[stage]?.[1] ?? "\0")) end();
    statements += 1;
    return Reflect.apply(query, this, words);
  } as typeof pg.Client.prototype.query;
  return {
    begin(): void {
      [stage, stageAt, statements] = [0, monotonicMs(), 0];
    },
    /** The vendor has the request. */
    end(): void {
      if (stage === STAGES.length) end();
    },
    clear: () => took.clear(),
    print(): void {
      console.log("      ms  statements  (medians)");
      for (const [name, { ms, statements: sent }] of took)
        console.log(`${median(ms).toFixed(1).padStart(8)}  ${String(median(sent)).padStart(10)}  ${name}`);
    },
  };
}
