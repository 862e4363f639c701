import { z } from "zod";
import type { Clock } from "../../lib/clock.ts";
import { parseDuration } from "../../lib/duration.ts";
import { describeError } from "../../lib/errors.ts";
import { HOUR, type Instant } from "../../lib/instant.ts";
import type { LocalApiLog } from "../http/local-api-context.ts";
import { createDatabase, type Database, type DatabasePool } from "../store/database.ts";
import { dropMentionMonthsBefore } from "../store/mention-months.ts";
import { readSetting } from "../store/settings.ts";

/** The setting that says how long mentions are kept, such as `400d`. */
export const KEEP_MENTIONS_FOR = "keep-mentions-for";

/** Drops the months that ended longer ago than the account keeps mentions. Gives the names of their tables. */
export async function dropOldMentions(db: Database, now: Instant): Promise<readonly string[]> {
  const text = z
    .string()
    .nullish()
    .parse(await readSetting(db, KEEP_MENTIONS_FOR));
  const keptMs = text == null ? undefined : parseDuration(text);
  return keptMs === undefined ? [] : dropMentionMonthsBefore(db, now - keptMs);
}

/** Does it every hour, in each process that serves these tables; a month is dropped once. Gives what ends it. */
export function keepMentions(parts: {
  readonly pool: DatabasePool;
  readonly clock: Clock;
  readonly log: LocalApiLog;
}): () => Promise<void> {
  const db = createDatabase(parts.pool);
  const drop = async () => {
    const tables = await dropOldMentions(db, parts.clock.now());
    if (tables.length > 0) parts.log.info({ tables }, "mentions that are no longer kept were dropped");
  };
  const attempt = () =>
    drop().catch((error: unknown) =>
      parts.log.warn({ error: describeError(error) }, "old mentions could not be dropped"),
    );
  void attempt();
  const timer = setInterval(attempt, HOUR);
  timer.unref();
  return async () => clearInterval(timer);
}
