import { setTimeout as delay } from "node:timers/promises";
import { sql } from "kysely";
import { systemClock } from "../../../src/lib/clock.ts";
import { createDatabase } from "../../../src/listening-api/store/database.ts";
import { type Fixture, SEED, startFixture } from "../fixture.ts";
import { createFollowers, type Follower } from "./follow.ts";
import { createWriters } from "./write-at-once.ts";

/** Programs that ask without a break leave the writers no processor. */
const POLL_EVERY_MS = 40;

export interface Missing {
  readonly round: number;
  readonly reader: string;
  /** `query resource`: what the tables have and the reader does not know, or knows in an older version. */
  readonly mentions: readonly string[];
}

/**
 * In each round all writers write at once while all readers poll. Then the writers rest, the readers poll until nothing
 * is new, and each must know what the tables have.
 */
export async function playRounds(
  rounds: number,
  random: () => number,
  onRound: (round: number, missing: readonly Missing[]) => void = () => {},
): Promise<readonly Missing[]> {
  const fixture = await startFixture(WITH_TEXTS, { clock: systemClock });
  try {
    const writers = Object.entries(await createWriters(fixture, random));
    const readers = createFollowers(fixture);
    const missing: Missing[] = [];
    for (let round = 0; round < rounds; round++) {
      let isWriting = true;
      const writing = Promise.all(writers.map(([, write]) => write(round))).finally(() => {
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
      missing.push(...found);
      onRound(round, found);
    }
    return missing;
  } finally {
    await fixture.stop();
  }
}

const WITH_TEXTS = {
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
