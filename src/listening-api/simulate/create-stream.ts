import { floorTo, HOUR, type Instant } from "../../lib/instant.ts";
import { assignQueries, type QueryCache, queriesOf, withMatchPositions } from "../assign/assign-queries.ts";
import { applyRules } from "../assign/project-rules.ts";
import { createDatabase, type Database, type DatabasePool } from "../store/database.ts";
import { insertMentions, refreshMentionStatistics } from "../store/insert-mentions.ts";
import { putCategory } from "../store/labels.ts";
import { claimStreamHour, listStreamHours } from "../store/progress.ts";
import { findProjectById } from "../store/projects.ts";
import { listQueries, putQueries } from "../store/queries.ts";
import { lockWriting } from "../store/write-order.ts";
import type { Crisis } from "./crisis.ts";
import { BRANDS, TOPICS, TOPICS_CATEGORY } from "./data.ts";
import { generateHour } from "./generate-hour.ts";
import { generatedVersions, type StreamTargets } from "./generated-mention.ts";

interface StreamOptions {
  readonly pool: DatabasePool;
  /** Gets one query for each brand, with a Boolean text, and the category "Topics". */
  readonly projectId: number;
  readonly seed: string;
  /** Nothing is published before the hour of this moment. */
  readonly startAt: Instant;
  /** Known from the start: a crisis in an hour that is stored already changes nothing any more. */
  readonly crises: readonly Crisis[];
}

export interface Stream {
  /** Ids of the queries by brand. Makes them, and the categories, when they are missing. */
  queries(): Promise<ReadonlyMap<string, number>>;
  /**
   * Stores every hour that begins before `to`, each once, whoever asks and however often; gives the number of hours
   * that were missing. What is stored ahead of the clock is not visible yet. A mention comes into the query of its
   * brand and into every other one whose text it matches, as these texts are when the hour is stored.
   */
  fillUntil(to: Instant, onProgress?: (hour: Instant) => void): Promise<number>;
}

/** After so many hours at once the planner should know how large the table has become. */
const MANY_HOURS = 24;

/** A lifelike stream of mentions for the local API. */
export function createStream(options: StreamOptions): Stream {
  const db = createDatabase(options.pool);
  let targets: Promise<StreamTargets> | undefined;
  const cache: QueryCache = new Map();
  let filledBefore = floorTo(options.startAt, HOUR);

  const prepared = () => {
    targets ??= prepareTargets(db, options);
    return targets;
  };

  return {
    queries: async () => (await prepared()).queries,
    async fillUntil(to, onProgress) {
      const { projectId, seed } = options;
      if (to <= filledBefore) return 0;
      const stored = await listStreamHours(db, { projectId, seed, from: filledBefore, to });
      let filled = 0;
      const into = { targets: await prepared(), cache };
      for (let hour = filledBefore; hour < to; hour += HOUR) {
        if (!stored.has(hour) && (await storeHour(db, options, hour, into))) filled++;
        filledBefore = hour + HOUR;
        onProgress?.(hour);
      }
      if (filled >= MANY_HOURS) await refreshMentionStatistics(db);
      return filled;
    },
  };
}

/** One transaction an hour. */
function storeHour(
  db: Database,
  { projectId, seed, crises }: StreamOptions,
  hour: Instant,
  { targets, cache }: { targets: StreamTargets; cache: QueryCache },
): Promise<boolean> {
  const versions = generateHour(seed, hour, { crises }).flatMap((mention) =>
    generatedVersions(seed, mention, targets),
  );
  return db.transaction().execute(async (transaction) => {
    // First, so that no query is deleted or changed meanwhile, nor the project. The stamps are the stream's own.
    await lockWriting(transaction, [projectId]);
    const project = await findProjectById(transaction, projectId);
    if (!(await claimStreamHour(transaction, { projectId, seed, hour }))) return false;
    const queries = await queriesOf(transaction, projectId, cache);
    const placed = versions.map((version) => withMatchPositions(version, queries));
    const matched = versions.flatMap((version) =>
      assignQueries(version, queries).filter(({ record }) => record.queryId !== version.record.queryId),
    );
    await insertMentions(transaction, await applyRules(transaction, project, [...placed, ...matched]));
    return true;
  });
}

async function prepareTargets(db: Database, options: StreamOptions): Promise<StreamTargets> {
  const { projectId, startAt: at } = options;
  const known = new Map((await listQueries(db, projectId)).map(({ name, text }) => [name, text]));
  // A text that a person set stays.
  const specs = BRANDS.map(({ name, query }) => ({
    name,
    type: "search string" as const,
    ...(known.get(name) == null ? { text: query } : {}),
  }));
  const queries = await putQueries(db, projectId, specs, { username: "simulator", at });
  const parent = await putCategory(db, projectId, { name: TOPICS_CATEGORY, children: TOPICS });
  const categories = parent.children.flatMap((child) => {
    const topic = TOPICS.find((name) => name === child.name);
    const detail = {
      id: String(child.id),
      name: child.name,
      parentId: String(parent.id),
      parentName: parent.name,
    };
    return topic === undefined ? [] : [[topic, detail] as const];
  });
  return { queries, categories: new Map(categories) };
}
