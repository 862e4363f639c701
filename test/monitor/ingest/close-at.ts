import { sql } from "kysely";
import { createManualClock } from "../../../src/lib/clock.ts";
import type { Instant } from "../../../src/lib/instant.ts";
import { closeWindows } from "../../../src/monitor/ingest/close-windows.ts";
import type { Query } from "../../../src/monitor/model/query.ts";
import type { Rule } from "../../../src/monitor/rules/rule.ts";
import type { TestStores } from "../../use-stores.ts";

/** As if the polls of the query had read everything from before that moment. */
export async function completeUntil({ database }: TestStores, query: Query, until: Instant): Promise<void> {
  await sql`
    update earshot.polls set complete_until = to_timestamp(${until}::double precision / 1000)
    where query_id = ${query.queryId}`.execute(database.db);
}

/** Evaluates closed windows, without receivers. */
export function closeAt(
  now: Instant,
  { stores }: TestStores,
  query: Query,
  rules: readonly Rule[],
  version: string | null = null,
) {
  const notifyConfig = {
    routes: [],
    inhibitions: [],
    escalations: [],
    rotations: [],
    receiver: () => undefined,
    throttled: [],
  };
  return closeWindows(
    { store: stores, rulesFor: () => rules, notifyConfig, clock: createManualClock(now), version },
    query,
  );
}
