import { setTimeout as delay } from "node:timers/promises";
import { sql } from "kysely";
import { type Clock, systemClock } from "../../../src/lib/clock.ts";
import { SECOND } from "../../../src/lib/instant.ts";
import { createLocalApi } from "../../../src/listening-api/create-local-api.ts";
import { compile } from "../../../src/listening-api/query-language/compile.ts";
import { searchableMention } from "../../../src/listening-api/query-language/search-text.ts";
import { createDatabase } from "../../../src/listening-api/store/database.ts";
import { type Fixture, SEED, startFixture } from "../fixture.ts";
import { createFollowers, type Follower } from "./follow.ts";
import { BY_NAME, createWriters, type Process } from "./write-at-once.ts";

/** Programs that ask without a break leave the writers no processor. */
const POLL_EVERY_MS = 40;

export interface Missing {
  readonly round: number;
  /** Who lacks them: a program, or a query. */
  readonly reader: string;
  /** `query resource`: what the tables have and the reader does not know, or knows in an older version. */
  readonly mentions: readonly string[];
}

/**
 * In each round writers write at once while all readers poll: all kinds of them, or some by chance. Then the writers rest,
 * the readers poll until nothing is new, and each must know what the tables have.
 */
export async function playRounds(
  rounds: number,
  random: () => number,
  atOnce = Number.POSITIVE_INFINITY,
): Promise<readonly Missing[]> {
  const fixture = await startFixture(WITH_TEXTS, { clock: systemClock });
  const other = startAhead(fixture);
  try {
    const processes = [{ api: fixture.api, clock: systemClock }, other];
    const writers = Object.entries(await createWriters(fixture, processes, random));
    const readers = createFollowers(fixture, processes, random);
    const missing: Missing[] = [];
    for (let round = 0; round < rounds; round++) {
      let isWriting = true;
      const some = writers.toSorted(() => random() - 0.5).slice(0, atOnce);
      const writing = Promise.all(some.map(([, write]) => write(round))).finally(() => {
        isWriting = false;
      });
      const reading = readers.map(async (reader) => {
        while (isWriting) {
          await reader.poll();
          await delay(POLL_EVERY_MS);
        }
      });
      await Promise.all([writing, ...reading]);
      const found = (await Promise.all(readers.map((reader) => missingOf(fixture, reader)))).flatMap(
        (mentions, index) =>
          mentions.length === 0 ? [] : [{ round, reader: readers[index]?.name ?? "", mentions }],
      );
      missing.push(...found, ...(await missingInQueries(fixture, round)));
    }
    return missing;
  } finally {
    await other.api.close();
    await fixture.stop();
  }
}

/** Another process on the same tables, whose machine's clock is ahead. */
function startAhead({ database, logged }: Fixture): Process {
  const clock: Clock = { now: () => systemClock.now() + 25 * SECOND, speed: 1 };
  const { pool } = database;
  const log = { info() {}, warn() {}, error: (fields: object) => logged.push(fields) };
  return { clock, api: createLocalApi({ pool, clock, log, signingSecret: "for tests", strict: true }) };
}

export const WITH_TEXTS = {
  ...SEED,
  project: { name: "Written at once" },
  queries: [
    { name: "Water", text: "water" },
    { name: "Kettle", text: "kettle NOT battery" },
    { name: "Changing", text: "battery" },
    { name: "By name" },
  ],
};

async function missingOf({ database, account }: Fixture, reader: Follower): Promise<readonly string[]> {
  while ((await reader.poll()) > 0) {}
  const db = createDatabase(database.pool);
  const { rows } = await sql<{ query_id: string; resource_id: string; updated: Date }>`
    select query_id, resource_id, updated from local_api.mention
    where superseded_at = 'infinity' and query_id = any(${[...account.queries.values()]}::bigint[])`.execute(
    db,
  );
  const missing = rows.flatMap((row) => {
    const key = `${row.query_id} ${row.resource_id}`;
    const known = reader.known.get(key);
    const isKnown =
      known !== undefined && (!reader.seesChanges || Date.parse(known) === row.updated.getTime());
    return isKnown ? [] : [key];
  });
  // Found once: the next rounds are about what they lose themselves.
  for (const row of rows) {
    const updated = row.updated.toISOString().replace("Z", "+0000");
    (reader.known as Map<string, string>).set(`${row.query_id} ${row.resource_id}`, updated);
  }
  return missing;
}

/** A query has all stored mentions that its text finds, whatever was written in which order. */
async function missingInQueries({ database, account }: Fixture, round: number): Promise<readonly Missing[]> {
  const db = createDatabase(database.pool);
  const { rows } = await sql<{
    id: string;
    name: string;
    text: string;
    resource_id: string;
    full_text: string;
  }>`
    select q.id, q.name, q.boolean_text as text, m.resource_id, m.full_text
    from local_api.query q, lateral (
      select distinct resource_id, full_text from local_api.mention
      where query_id in (select id from local_api.query where project_id = ${account.projectId})
        and superseded_at = 'infinity' and resource_type is distinct from 'deleted') as m
    where q.project_id = ${account.projectId} and q.boolean_text is not null and not exists (
      select from local_api.mention own where own.query_id = q.id and own.resource_id = m.resource_id)`.execute(
    db,
  );
  const lacking = new Map<string, string[]>();
  for (const { name, text, resource_id: resourceId, full_text: fullText } of rows) {
    const compiled = compile(text);
    if (fullText.includes(BY_NAME) || !compiled.ok) continue;
    if (compiled.query.matches(searchableMention({ title: null }, fullText)))
      lacking.set(name, [...(lacking.get(name) ?? []), resourceId]);
  }
  return [...lacking].map(([name, mentions]) => ({ round, reader: `the query ${name}`, mentions }));
}
