import { expect, test } from "vitest";
import { createManualClock } from "../../../src/lib/clock.ts";
import { DAY, HOUR, MINUTE } from "../../../src/lib/instant.ts";
import { closeWindows } from "../../../src/monitor/ingest/close-windows.ts";
import { prepareSeries } from "../../../src/monitor/ingest/prepare-series.ts";
import { reconsiderAlerts } from "../../../src/monitor/ingest/reconsider-alerts.ts";
import type { NotifyConfig } from "../../../src/monitor/notify/decide/decide-notifications.ts";
import { QuietHours } from "../../../src/monitor/notify/decide/quiet-hours.ts";
import { aMention } from "../../mention.ts";
import { oddQuery } from "../../odd-world.ts";
import { useStores } from "../../use-stores.ts";
import { aWindowRule } from "../rules/a-rule.ts";
import { dueWork } from "../store/due-work.ts";
import { completeUntil as readUntil } from "./close-at.ts";

const NOON = Date.parse("2026-03-02T12:00:00Z");
const QUERY = oddQuery();
const RULE = aWindowRule("when: { sentiment: negative }\nvolume: { atLeast: 10, within: 15m }");
const MORNING = QuietHours.parse({ timezone: "UTC", from: "10:00", to: "16:00", breakThrough: "nothing" });
/** The team gets nothing before 16:00. */
const NOTIFY: NotifyConfig = {
  routes: [
    {
      match: {},
      receivers: ["team"],
      repeatEveryMs: 4 * HOUR,
      sendResolved: true,
      forgetAfterMs: DAY,
      group: null,
      routes: [],
      continue: false,
    },
  ],
  receiver: (name) => ({ name, quietHours: [MORNING], throttle: null }),
  throttled: [],
  inhibitions: [],
  escalations: [],
  rotations: [],
};

const tables = await useStores();
const { stores } = tables;
const clock = createManualClock(NOON);
const parts = { store: stores, rulesFor: () => [RULE], notifyConfig: NOTIFY, clock };
const completeUntil = (until: number) => readUntil(tables, QUERY, until);
const kinds = (pending: readonly { readonly kind: string }[]) => pending.map(({ kind }) => kind);

test("a decision that is due is made once, however many workers reconsider the query, and after its closed windows", async () => {
  await stores.queries.register([QUERY], NOON - 2 * HOUR, NOON - DAY);
  // While a query is due to be read, its decisions wait for the result.
  await stores.polls.ensure(NOON + DAY);
  const page = Array.from({ length: 30 }, (_, i) => {
    const addedAt = NOON - 30 * MINUTE + i * MINUTE;
    const mention = aMention({ queryId: "1", resourceId: `m${i}`, addedAt, sentiment: "negative" });
    return { mention, eventAt: addedAt, story: String(i) };
  });
  await stores.mentions.storePage("p", stores.mentions.rowsOf(page), NOON);
  await prepareSeries(stores, QUERY, [RULE]);
  await completeUntil(NOON);
  expect((await closeWindows(parts, QUERY)).pending).toEqual([]);
  expect(await stores.alerts.openOfQuery("p", "1")).toMatchObject([{ state: "firing" }]);

  // Nothing is due yet.
  expect(await reconsiderAlerts(parts, QUERY)).toEqual({ outcome: "Decided", pending: [] });
  clock.set(NOON + 4 * HOUR);
  expect((await dueWork(stores, clock.now())).decisions).toEqual([{ projectId: "p", queryId: "1" }]);
  const both = await Promise.all([1, 2].map(() => reconsiderAlerts(parts, QUERY)));
  const decided = both.flatMap((one) => (one.outcome === "Decided" ? one.pending : []));
  expect(kinds(decided)).toEqual(["fired"]);
  expect((await dueWork(stores, clock.now())).decisions).toEqual([]);

  // The alert looks open until its windows are judged: nobody is reminded of an alert that has ended.
  clock.set(NOON + 8 * HOUR);
  await completeUntil(NOON + 8 * HOUR);
  expect((await dueWork(stores, clock.now())).windows).toEqual([{ projectId: "p", queryId: "1" }]);
  expect(await reconsiderAlerts(parts, QUERY)).toEqual({ outcome: "WindowsFirst" });
  expect(kinds((await closeWindows(parts, QUERY)).pending)).toEqual(["resolved"]);
  expect(await reconsiderAlerts(parts, QUERY)).toEqual({ outcome: "Decided", pending: [] });
  expect(await reconsiderAlerts(parts, { projectId: "p", queryId: "gone" })).toEqual({
    outcome: "QueryGone",
  });
});
