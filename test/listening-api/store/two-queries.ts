import { afterAll, beforeAll, beforeEach } from "vitest";
import { createDatabase, type Database } from "../../../src/listening-api/store/database.ts";
import { type Fixture, startFixture } from "../fixture.ts";

/** Two queries without mentions, before each test of a file. */
export function useTwoQueries(): {
  readonly fixture: () => Fixture;
  readonly db: () => Database;
  readonly own: () => number;
  readonly other: () => number;
} {
  let fixture: Fixture;
  let db: Database;
  beforeAll(async () => {
    fixture = await startFixture();
    db = createDatabase(fixture.database.pool);
  });
  afterAll(() => fixture.stop());
  beforeEach(() => fixture.database.pool.query("delete from local_api.mention"));
  const nth = (index: number) => [...fixture.account.queries.values()][index] ?? 0;
  return { fixture: () => fixture, db: () => db, own: () => nth(0), other: () => nth(1) };
}
