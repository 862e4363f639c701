import { expect, test } from "vitest";
import { createManualClock } from "../../../src/lib/clock.ts";
import { noteConnections } from "../../../src/monitor/health/note-failures.ts";
import { until } from "../../until.ts";
import { useStores } from "../../use-stores.ts";

const { stores } = await useStores();
const SOON = { withinMs: 5_000 };
const clock = createManualClock(Date.parse("2026-03-02T12:00:00Z"));

test("connections for clicks fail by name, as often as they are tried, until one is open", async () => {
  const onConnection = noteConnections({ stores, clock });
  const noted = async () => (await stores.failures.open()).map(({ scope, times }) => [scope, times]);
  const problem = { message: "the token is not valid", final: true };
  for (const times of [1, 2]) {
    onConnection("slack", problem);
    await until("it is noted", async () => (await noted())[0]?.[1] === times, SOON);
  }
  onConnection("slack 2", problem);
  await until("both are noted", async () => (await noted()).length === 2, SOON);
  onConnection("slack", null);
  await until("one is open", async () => (await noted()).length === 1, SOON);
  expect(await noted()).toEqual([["buttons: slack 2", 1]]);
});
