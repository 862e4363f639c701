import fc from "fast-check";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { DAY } from "../../../src/lib/instant.ts";
import {
  dateArray,
  jsonArray,
  momentArray,
  numberArray,
  textArray,
} from "../../../src/monitor/store/binary-arrays.ts";
import { useStores } from "../../use-stores.ts";

const { database } = await useStores();
const rounds = { numRuns: 60 };

/** PostgreSQL keeps no NUL, and half of a pair of surrogates is no letter. */
const text = fc.string({ unit: "binary", maxLength: 40 }).map((one) => one.replaceAll("\0", ""));

async function read(array: Buffer, type: string): Promise<unknown> {
  const { rows } = await sql<{ read: unknown }>`
    select coalesce(json_agg(v order by i), '[]') as read
    from unnest(${array}::${sql.raw(type)}[]) with ordinality as u(v, i)
  `.execute(database.db);
  return rows[0]?.read;
}

test("texts arrive as they are, in any alphabet, and missing ones are missing", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.option(text), { maxLength: 30 }), async (items) => {
      expect(await read(textArray(items), "text")).toEqual(items);
    }),
    rounds,
  );
});

test("JSON arrives as it is written", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.dictionary(text, text), { maxLength: 10 }), async (items) => {
      const array = jsonArray(items.map((item) => JSON.stringify(item)));
      expect(await read(array, "json")).toEqual(items);
    }),
    rounds,
  );
});

test("numbers arrive whole, and missing ones are missing", async () => {
  const number = fc.option(fc.maxSafeInteger());
  await fc.assert(
    fc.asyncProperty(fc.array(number, { maxLength: 30 }), async (items) => {
      expect(await read(numberArray(items), "int8")).toEqual(items);
    }),
    rounds,
  );
});

test("moments and days are those that PostgreSQL makes of the same numbers, before 2000 and after", async () => {
  const moment = fc.integer({ min: Date.UTC(1900, 0, 1), max: Date.UTC(2200, 0, 1) });
  await fc.assert(
    fc.asyncProperty(fc.array(moment, { maxLength: 30 }), async (moments) => {
      const days = moments.map((one) => Math.floor(one / DAY));
      const { rows } = await sql<{ same: boolean }>`
        select ${momentArray(moments)}::timestamptz[]
            is not distinct from coalesce((select array_agg(to_timestamp(v / 1000.0) order by i)
              from unnest(${moments}::float8[]) with ordinality u(v, i)), '{}')
          and ${dateArray(days)}::date[]
            is not distinct from coalesce((select array_agg('1970-01-01'::date + v order by i)
              from unnest(${days}::int[]) with ordinality u(v, i)), '{}') as same
      `.execute(database.db);
      expect(rows[0]?.same).toBe(true);
    }),
    rounds,
  );
});

test("what PostgreSQL cannot keep is refused, and not changed", async () => {
  await expect(read(textArray(["a\0b"]), "text")).rejects.toThrow(/invalid byte sequence/);
  await expect(read(jsonArray(["{"]), "json")).rejects.toThrow(/invalid input syntax for type json/);
  expect(() => numberArray([0.5])).toThrow(RangeError);
});
