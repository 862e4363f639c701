import type { Instant } from "../../lib/instant.ts";

// Arrays as PostgreSQL reads them in binary: a parameter that is a Buffer is sent as it is. A page of 5,000 mentions is
// read in a third of the time that its JSON takes: nothing is parsed twice. The formats are those of array_recv and of
// the *_recv functions of the types.

const OIDS = { text: 25, json: 114, int8: 20, date: 1082, timestamptz: 1184 } as const;
type ItemType = keyof typeof OIDS;

/** Moments and days count from here. */
const EPOCH_MS = Date.UTC(2000, 0, 1);
const EPOCH_DAY = 10_957;

export function textArray(items: readonly (string | null)[]): Buffer {
  return stringArray("text", items);
}

/** Of texts that are JSON. */
export function jsonArray(items: readonly string[]): Buffer {
  return stringArray("json", items);
}

/** Of days since 1970. */
export function dateArray(items: readonly number[]): Buffer {
  const { array, at } = begin("date", items.length, items.length * 4, false);
  let place = at;
  for (const day of items) {
    place = array.writeInt32BE(4, place);
    place = array.writeInt32BE(day - EPOCH_DAY, place);
  }
  return array;
}

export function momentArray(items: readonly Instant[]): Buffer {
  return longArray(
    "timestamptz",
    items.map((moment) => BigInt(Math.round(moment - EPOCH_MS)) * 1_000n),
  );
}

/** Of whole numbers. */
export function numberArray(items: readonly (number | null)[]): Buffer {
  return longArray(
    "int8",
    items.map((number) => (number === null ? null : BigInt(number))),
  );
}

function longArray(type: ItemType, items: readonly (bigint | null)[]): Buffer {
  const missing = items.filter((item) => item === null).length;
  const { array, at } = begin(type, items.length, (items.length - missing) * 8, missing > 0);
  let place = at;
  for (const item of items) {
    place = array.writeInt32BE(item === null ? NULL : 8, place);
    if (item !== null) place = array.writeBigInt64BE(item, place);
  }
  return array;
}

function stringArray(type: ItemType, items: readonly (string | null)[]): Buffer {
  const lengths = items.map((item) => (item === null ? NULL : Buffer.byteLength(item)));
  const bytes = lengths.reduce((sum, length) => sum + Math.max(0, length), 0);
  const { array, at } = begin(type, items.length, bytes, lengths.includes(NULL));
  let place = at;
  for (const [index, item] of items.entries()) {
    place = array.writeInt32BE(lengths[index] ?? 0, place);
    if (item !== null) place += array.write(item, place);
  }
  return array;
}

/** Stands in place of the length of an item that is null. */
const NULL = -1;
const HEADER = 20;

/** An array with its header written; its items, each with its length before it, begin at `at`. */
function begin(
  type: ItemType,
  count: number,
  bytes: number,
  hasNull: boolean,
): { array: Buffer; at: number } {
  const array = Buffer.allocUnsafe(HEADER + 4 * count + bytes);
  const dimensions = 1;
  const firstIndex = 1;
  let at = 0;
  for (const number of [dimensions, hasNull ? 1 : 0, OIDS[type], count, firstIndex])
    at = array.writeInt32BE(number, at);
  return { array, at };
}
