import { beforeEach, describe, expect, test } from "vitest";
import { HOUR, type Instant } from "../../../src/lib/instant.ts";
import type { MentionCondition } from "../../../src/listening-api/filters/mention-condition.ts";
import { isInSample } from "../../../src/listening-api/records/mention-id.ts";
import { insertMentions } from "../../../src/listening-api/store/insert-mentions.ts";
import { MENTION_ORDERS } from "../../../src/listening-api/store/mention-orders.ts";
import {
  createMentionPages,
  findInQueries,
  findMention,
  type PageRequest,
} from "../../../src/listening-api/store/mention-page.ts";
import { mentionVersion, resourceId, T0 } from "../fixture.ts";
import { useTwoQueries } from "./two-queries.ts";

const [BEFORE, AFTER] = [T0 - HOUR, T0 + HOUR];
const { fixture, db, own, other } = useTwoQueries();

type Times = Partial<Parameters<typeof mentionVersion>[1]>;
type Fields = Partial<Parameters<typeof mentionVersion>[0]>;
const version = (number: number, times: Times = {}, { queryId = own(), ...fields }: Fields = {}) =>
  mentionVersion({ queryId, resourceId: resourceId(number), ...fields }, { added: BEFORE, ...times });
const numberOf = (id: string) => Number(`0x${id}`);

/** The mentions of a page, each with its version: `4.1`. */
async function read(
  order: string,
  request: Partial<PageRequest> = {},
  conditions: readonly MentionCondition[] = [],
) {
  const found = MENTION_ORDERS.get(order);
  if (found === undefined) throw new Error("there is such an order");
  const range = { queryIds: [own()], from: BEFORE - HOUR, to: AFTER + HOUR, conditions };
  const [direction, at, limit, offset] = ["asc", T0, 50, 0] as const;
  const rows = await createMentionPages(db()).read({
    ...{ range, order: found, direction, at, limit, offset },
    ...request,
  });
  return rows.map(({ position, version: shown }) => `${numberOf(position.resourceId)}.${shown}`);
}

test("who goes on where a walk ended sees what became visible since, and no change of what was shown", async () => {
  const ended = { visibleAt: T0 + 1 };
  await insertMentions(db(), [
    version(1),
    version(2, { visibleAt: T0 }),
    version(3, { supersededAt: T0 + 1 }),
    version(3, { version: 2, ...ended }),
    version(4, ended),
    // Another query has it for longer.
    version(4, {}, { queryId: other() }),
    // Its first version was shown at the very moment at which the walk ended.
    version(5, { visibleAt: T0, supersededAt: T0 + 1 }),
    version(5, { version: 2, ...ended }),
  ]);
  for (const order of ["added", "author"]) {
    expect(await read(order)).toEqual(["1.1", "2.1", "3.1", "5.1"]);
    expect(await read(order, { at: AFTER, newSince: T0 })).toEqual(["4.1"]);
    expect(await read(order, { at: T0 + 1 })).toEqual(["1.1", "2.1", "3.2", "4.1", "5.2"]);
  }
});

test("a page has the mentions from the first date to the last, which it has not, and begins behind a position", async () => {
  const range = { queryIds: [own()], from: T0 - 2, to: T0, conditions: [] };
  for (const n of [1, 2, 3, 4]) await insertMentions(db(), [version(n, { date: T0 - 4 + n })]);
  expect(await read("md5", { range })).toEqual(["2.1", "3.1"]);
  for (const [order, key] of [
    ["md5", resourceId(2)],
    ["added", BEFORE],
  ] as const) {
    const after = { key, resourceId: resourceId(2), queryId: own() };
    expect(await read(order, { range, after })).toEqual(["3.1"]);
  }
});

test("a page of a short time reads no further, both ends included", async () => {
  const added = [T0 - 3, T0 - 2, T0 - 1, T0];
  await insertMentions(
    db(),
    added.map((at, n) => version(n, { added: at })),
  );
  expect(await read("added", { within: { from: T0 - 2, to: T0 - 1 } })).toEqual(["1.1", "2.1"]);
});

test("what took the place of all others waits for its moment where changes are followed, and nowhere else", async () => {
  await insertMentions(db(), [
    version(1, { version: 2, updated: T0 + 1 }),
    version(2, { version: 2, updated: T0 }),
    // Visible later than it arrived: it stands at its own place.
    version(3, { version: 2, added: BEFORE - 1, visibleAt: BEFORE, updated: T0 + 1 }),
    version(4, { updated: T0 + 1 }),
  ]);
  expect((await read("updated")).toSorted()).toEqual(["2.2", "3.2", "4.1"]);
  expect(await read("author")).toEqual(["1.2", "2.2", "3.2", "4.1"]);
});

test("a mention is found in its query, as it is shown", async () => {
  const url = "https://a.example/1";
  await insertMentions(db(), [
    version(1, { supersededAt: T0 }, { url }),
    version(1, { version: 2, visibleAt: T0, supersededAt: T0 + 1 }, { url }),
    version(1, { version: 3, visibleAt: T0 + 1 }, { url }),
    version(1, { version: 7, date: T0 }, { queryId: other(), url }),
    version(2, { date: T0 }),
  ]);
  for (const which of [{ resourceId: resourceId(1) }, { url }]) {
    const at = async (moment: Instant) =>
      (await findMention(db(), { queryId: own(), at: moment, ...which }))?.version;
    expect([await at(T0 - 1), await at(T0), await at(T0 + 1)]).toEqual([1, 2, 3]);
    const found = await findInQueries(db(), { queryIds: [own()], ...which });
    expect(found.map((one) => [one.queryId, one.record.resourceId, one.visibleAt])).toEqual([
      [own(), resourceId(1), BEFORE],
    ]);
  }
  expect(await findMention(db(), { queryId: own(), resourceId: resourceId(9), at: T0 })).toBeUndefined();
  // What is left of a deleted one is none.
  await insertMentions(db(), [version(3, {}, { resourceType: "deleted" })]);
  const deleted = { resourceId: resourceId(3) };
  expect(await findMention(db(), { queryId: own(), at: T0, ...deleted })).toBeUndefined();
  expect(await findInQueries(db(), { queryIds: [own()], ...deleted })).toEqual([]);
});

describe("a condition", () => {
  beforeEach(async () => {
    await insertMentions(db(), [
      version(1, { added: T0 - 2 }, { impact: 10, author: "Ann", categories: [] }),
      version(2, { added: T0 - 1 }, { impact: 20, author: "bo", categories: [7] }),
      version(3, { added: T0 }, { impact: 30, author: null, categories: [7, 8] }),
    ]);
    await fixture().database.pool.query("update local_api.mention set tags = categories");
  });
  const not = (condition: MentionCondition): MentionCondition => ({ kind: "not", condition });

  test.each<[MentionCondition, number[]]>([
    [{ kind: "after", field: "added", at: T0 - 1 }, [3]],
    [{ kind: "before", field: "added", at: T0 - 1 }, [1]],
    [{ kind: "at-least", field: "impact", value: 20 }, [2, 3]],
    [{ kind: "at-most", field: "impact", value: 20 }, [1, 2]],
    [{ kind: "contains", field: "author", text: "N" }, [1]],
    [{ kind: "tagged", value: true }, [2, 3]],
    [{ kind: "tagged", value: false }, [1]],
    [{ kind: "overlaps", field: "categories", ids: [8, 9] }, [3]],
    [
      {
        kind: "all",
        of: [
          { kind: "tagged", value: true },
          { kind: "at-most", field: "impact", value: 20 },
        ],
      },
      [2],
    ],
  ])("%j finds what it says, and its negation the rest", async (condition, found) => {
    const numbers = async (one: MentionCondition) =>
      (await read("md5", {}, [one])).map((id) => parseInt(id, 10));
    expect(await numbers(condition)).toEqual(found);
    expect(await numbers(not(condition))).toEqual([1, 2, 3].filter((n) => !found.includes(n)));
  });
});

test("a sample keeps the same mentions in the statement as where they are stored", async () => {
  const ids = Array.from({ length: 400 }, (_, n) => n);
  await insertMentions(
    db(),
    ids.map((n) => version(n)),
  );
  for (const percentage of [1, 10, 50]) {
    const kept = await read("md5", { limit: 400 }, [{ kind: "in-sample", percentage }]);
    const expected = ids.filter((n) => isInSample(resourceId(n), percentage));
    expect(kept.map((id) => parseInt(id, 10))).toEqual(expected);
  }
});

test("the late share of the mentions is shown when its time is over, to the millisecond", async () => {
  const [share, withinMs] = [0.5, 1_000];
  // Of a thousand that are ranked 500 are late: the last of these, and the first that is not.
  const { rows } = await fixture().database.pool.query<{ n: number; rank: number; late: number }>(
    `select n, (abs(hashtext(id || ' is late')::bigint) % 1000)::int as rank,
      (abs(hashtext(id)::bigint) % ${withinMs})::int as late
    from generate_series(1, 20000) n, lateral (select lpad(to_hex(n), 32, '0') as id) i`,
  );
  const last = rows.find(({ rank, late }) => rank === 499 && late > 0 && late < 500);
  const first = rows.find(({ rank, late }) => rank === 500 && late > 500);
  if (last === undefined || first === undefined) throw new Error("there are enough ids");
  await insertMentions(db(), [version(last.n, { added: T0 }), version(first.n, { added: T0 })]);
  const shown = async (after: number) => {
    const condition = { kind: "indexed", at: T0 + after, withinMs, share } as const;
    return (await read("md5", { at: AFTER }, [condition]))
      .map((id) => parseInt(id, 10))
      .toSorted((a, b) => a - b);
  };
  const both = [last.n, first.n].toSorted((a, b) => a - b);
  expect(await shown(last.late - 1)).toEqual([first.n]);
  expect(await shown(last.late)).toEqual(both);
});
