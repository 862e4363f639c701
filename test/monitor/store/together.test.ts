import { setImmediate as nextTurn } from "node:timers/promises";
import { beforeAll, expect, test } from "vitest";
import { DAY } from "../../../src/lib/instant.ts";
import { oddQuery } from "../../odd-world.ts";
import { useStores } from "../../use-stores.ts";

const NOON = Date.parse("2026-03-02T12:00:00Z");
const { stores } = await useStores();

beforeAll(() => stores.queries.register([{ ...oddQuery(), projectId: "p" }], NOON, NOON - DAY));

const BAD = "\u0000 is in no text of PostgreSQL";

test("statements that are sent together are done in their order", async () => {
  const [, series] = await stores.transaction(({ counts }) =>
    Promise.all([counts.addSeries("p", "1", ["first"]), counts.series("p", "1")]),
  );
  expect(series).toEqual(new Set(["first"]));
});

test("one that fails takes the others with it, also those that were sent behind it", async () => {
  const failed = stores.transaction(({ counts }) =>
    Promise.all([
      counts.addSeries("p", "1", ["before"]),
      counts.addSeries("p", "1", [BAD]),
      counts.addSeries("p", "1", ["behind"]),
    ]),
  );
  await expect(failed).rejects.toThrow("invalid byte sequence");
  expect(await stores.counts.series("p", "1")).not.toContain("before");
  expect(await stores.counts.series("p", "1")).not.toContain("behind");
});

test("whoever goes on while the transaction is rolled back writes nothing behind it", async () => {
  let goOn: Promise<string> = Promise.resolve("");
  const failed = stores.transaction(async ({ counts }) => {
    const bad = counts.addSeries("p", "1", [BAD]);
    goOn = bad
      .catch(() => nextTurn())
      .then(() => counts.addSeries("p", "1", ["late"]))
      .then(() => "written", String);
    await bad;
  });
  await expect(failed).rejects.toThrow("invalid byte sequence");
  expect(await goOn).toBe("Error: the transaction has ended");
  expect(await stores.counts.series("p", "1")).not.toContain("late");
});
