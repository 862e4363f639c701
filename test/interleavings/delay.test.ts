import { expect, test } from "vitest";
import { type Delay, findLate } from "./delay.ts";

const NONE: Delay = { leases: [], waitedS: 0 };
const kept = (...leases: readonly string[]): Delay => ({ ...NONE, leases });

test.each<[string, Delay, readonly Delay[]]>([
  ["nothing is held back", NONE, [NONE, NONE]],
  ["a lease is kept in one of the serial orders, too", kept("polls"), [NONE, kept("polls")]],
  [
    "work waited as long in one of the serial orders",
    { ...NONE, waitedS: 2 },
    [{ ...NONE, waitedS: 2 }, NONE],
  ],
])("nothing is late where %s", (_name, found, serial) => {
  expect(findLate(found, serial)).toEqual([]);
});

test.each<[string, Delay, readonly Delay[], string]>([
  ["a lease is kept", kept("polls"), [NONE, kept("corrections")], "polls"],
  ["two leases are kept instead of one", kept("polls", "polls"), [kept("polls"), NONE], "polls"],
  [
    "work waited longer",
    { ...NONE, waitedS: 60 },
    [{ ...NONE, waitedS: 2 }, NONE],
    "for 60 s, in a serial order for 2 s",
  ],
])("something is late where %s", (_name, found, serial, said) => {
  expect(findLate(found, serial)).toEqual([expect.stringContaining(said)]);
});
