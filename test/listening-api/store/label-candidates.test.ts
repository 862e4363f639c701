import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { HOUR } from "../../../src/lib/instant.ts";
import { seedAccount } from "../../../src/listening-api/account/seed-account.ts";
import type { MentionCondition } from "../../../src/listening-api/filters/mention-condition.ts";
import { compile } from "../../../src/listening-api/query-language/compile.ts";
import { createDatabase, type Database } from "../../../src/listening-api/store/database.ts";
import { insertMentions } from "../../../src/listening-api/store/insert-mentions.ts";
import {
  meetingConditions,
  mentionsToLabel,
  nextKeys,
  type ReadyRule,
} from "../../../src/listening-api/store/label-candidates.ts";
import { type Fixture, mentionVersion, resourceId, SEED, startFixture, T0 } from "../fixture.ts";

const TAG = 7;
const STARRED: MentionCondition = { kind: "is", field: "starred", value: true };
let fixture: Fixture;
let db: Database;
let [alpha, beta, elsewhere] = [0, 0, 0];
beforeAll(async () => {
  fixture = await startFixture();
  db = createDatabase(fixture.database.pool);
  alpha = fixture.account.queries.get("Alpha") ?? 0;
  beta = fixture.account.queries.get("Beta") ?? 0;
  const { queries } = await seedAccount(fixture.database.pool, { ...SEED, project: { name: "Elsewhere" } });
  elsewhere = queries.get("Alpha") ?? 0;
});
afterAll(() => fixture.stop());

beforeEach(async () => {
  await fixture.database.pool.query("delete from local_api.mention");
  const version = (queryId: number, n: number, more: object = {}, times: object = {}) =>
    mentionVersion(
      { queryId, resourceId: resourceId(n), title: "milk", starred: true, ...more },
      { added: T0 - HOUR, ...times },
    );
  await insertMentions(db, [
    version(alpha, 1),
    version(alpha, 2, { title: "tea" }),
    version(alpha, 3, { starred: false }),
    version(alpha, 4, { resourceType: "deleted" }),
    version(alpha, 5, {}, { visibleAt: T0 + HOUR }),
    { ...version(alpha, 6, { tags: ["new"] }), tagIds: [TAG] },
    version(beta, 7),
    version(elsewhere, 8),
  ]);
});

const numbers = (found: readonly { readonly resourceId: string }[]) =>
  found.map((one) => Number(`0x${one.resourceId}`));

async function toLabel(rule: Partial<ReadyRule>) {
  const found: number[] = [];
  await db.transaction().execute(async (own) => {
    const which = { projectId: fixture.account.projectId, kind: "tag" as const, labelId: TAG, at: T0 };
    const ready = { queryIds: undefined, conditions: [], search: undefined, ...rule };
    for await (const some of mentionsToLabel(own, { ...which, rule: ready }, 2)) found.push(...numbers(some));
  });
  return found.toSorted((a, b) => a - b);
}

it("a rule looks at what its project shows that lacks the label", async () => {
  const compiled = compile("milk");
  expect(await toLabel({})).toEqual([1, 2, 3, 7]);
  expect(await toLabel({ queryIds: [beta] })).toEqual([7]);
  expect(await toLabel({ conditions: [STARRED] })).toEqual([1, 2, 7]);
  expect(await toLabel({ search: compiled.ok ? compiled.query : undefined })).toEqual([1, 3, 7]);
});

it("a rule over what is stored goes on behind the mention that it looked at last", async () => {
  const next = async (after: string, limit: number) =>
    numbers(await nextKeys(db, { queryId: alpha, after, at: T0 }, limit));
  expect(await next("", 3)).toEqual([1, 2, 3]);
  expect(await next(resourceId(3), 9)).toEqual([4, 6]);
});

it("of these mentions it changes what meets its conditions and is there", async () => {
  const keys = [1, 3, 4, 5].map((n) => ({ queryId: alpha, resourceId: resourceId(n) }));
  expect(numbers(await meetingConditions(db, keys, [STARRED], T0))).toEqual([1]);
  expect(numbers(await meetingConditions(db, keys, [], T0))).toEqual([1, 3]);
});
