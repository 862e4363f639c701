import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createDatabase, type Database } from "../../../src/listening-api/store/database.ts";
import { deleteMentions } from "../../../src/listening-api/store/delete-things.ts";
import { stillLeased } from "../../../src/listening-api/store/enrichment.ts";
import { insertMentions } from "../../../src/listening-api/store/insert-mentions.ts";
import { dropMentionMonthsBefore } from "../../../src/listening-api/store/mention-months.ts";
import { lockQueries } from "../../../src/listening-api/store/queries.ts";
import { lockWriting } from "../../../src/listening-api/store/write-order.ts";
import { type Fixture, mentionVersion, resourceId, startFixture, T0 } from "../fixture.ts";
import { untilWaiting } from "./until-waiting.ts";

let fixture: Fixture;
let db: Database;
let first = 0;
let second = 0;
beforeAll(async () => {
  fixture = await startFixture();
  db = createDatabase(fixture.database.pool);
  const ids = [...fixture.account.queries.values()].toSorted((a, b) => a - b);
  [first, second] = [ids[0] ?? 0, ids[1] ?? 0];
});
afterAll(() => fixture.stop());

const OTHERS: readonly (readonly [string, () => Promise<unknown>])[] = [
  ["a deletion", () => deleteMentions(db, { queryIds: [first, second] })],
  ["retention", () => dropMentionMonthsBefore(db, Date.parse("2026-04-01T00:00:00Z"))],
  [
    "a worker with an answer",
    () =>
      db.transaction().execute((own) =>
        stillLeased(
          own,
          randomUUID(),
          [first, second].map((queryId) => ({
            ...{ queryId, resourceId: resourceId(1), kind: "sentiment", attempts: 0 },
          })),
        ),
      ),
  ],
];

it.each(OTHERS)("%s waits for a writer that locks its queries in the order of its rules", async (_, work) => {
  const date = Date.parse("2026-03-01T00:00:00Z");
  await insertMentions(db, [
    mentionVersion({ queryId: first, resourceId: resourceId(1) }, { added: T0, date }),
  ]);
  let done: Promise<unknown> | undefined;
  await db.transaction().execute(async (writer) => {
    await lockWriting(writer, [fixture.account.projectId]);
    await lockQueries(writer, [second]);
    done = work();
    done.catch(() => {});
    await untilWaiting(fixture.database.pool, 1);
    await lockQueries(writer, [first]);
  });
  await expect(done).resolves.toBeDefined();
});
