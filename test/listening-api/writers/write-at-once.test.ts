import { expect, test } from "vitest";
import { playRounds } from "./play-rounds.ts";

// One round: all writers are in it. `test/long` plays many.
test("programs by every order, without overlap, see all that every kind of writers writes at once", async () => {
  expect(await playRounds(1, Math.random)).toEqual([]);
}, 120_000);
