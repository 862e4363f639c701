import { Pool } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../../src/lib/clock.ts";
import { createLocalApi } from "../../../src/listening-api/create-local-api.ts";
import { type Fixture, startFixture } from "../fixture.ts";
import { WITH_TEXTS } from "./play-rounds.ts";
import { createWriters } from "./write-at-once.ts";

/** Who holds the lock of the writers and waits for another connection waits for ever, if all others wait for the lock. */

let fixture: Fixture;
let pool: Pool;
beforeAll(async () => {
  fixture = await startFixture(WITH_TEXTS, { clock: systemClock });
  const { connectionString } = fixture.database.pool.options;
  pool = new Pool({ ...(connectionString === undefined ? {} : { connectionString }), max: 1 });
  pool.options.connectionTimeoutMillis = 5_000;
  // A pool has ended before its connections have: the server may cut them.
  pool.on("error", () => {});
});
afterAll(async () => {
  await pool.end();
  await fixture.stop();
});

test("no writer asks for a second connection while it holds one", async () => {
  const log = { info() {}, warn() {}, error: (fields: object) => fixture.logged.push(fields) };
  const api = createLocalApi({ pool, clock: systemClock, log, signingSecret: "for tests", strict: true });
  const database = { ...fixture.database, pool };
  const writers = await createWriters({ ...fixture, database }, [{ api, clock: systemClock }], Math.random);
  for (let round = 0; round < 3; round++)
    for (const [name, write] of Object.entries(writers))
      await write(round).catch((error: unknown) => {
        throw new Error(`${name} in round ${round}`, { cause: error });
      });
  await api.close();
  expect(fixture.logged).toEqual([]);
}, 60_000);
