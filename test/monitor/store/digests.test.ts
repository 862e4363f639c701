import { beforeAll, expect, test } from "vitest";
import { DAY, HOUR, MINUTE } from "../../../src/lib/instant.ts";
import type { Alert } from "../../../src/monitor/model/alert.ts";
import type { Incident } from "../../../src/monitor/model/incident.ts";
import { ensurePartitions } from "../../../src/monitor/store/partitions.ts";
import { anAlert, makeAStory, PROJECT } from "../../console/make-a-story.ts";
import { useStores } from "../../use-stores.ts";

const NOW = Date.parse("2026-03-03T14:05:00Z");
const PERIOD = { from: NOW - DAY, to: NOW + DAY };
const QUERIES = ["1", "2", "3"].map((queryId) => ({ projectId: PROJECT, queryId }));
const { database, stores } = await useStores();
let story: { crisis: Alert; single: Alert; over: Alert };

beforeAll(async () => {
  await ensurePartitions(database.db, NOW);
  story = await makeAStory(stores, NOW);
});

const sentOf = async (alert: Alert) =>
  (await stores.digests.sentAlerts(QUERIES, PERIOD)).filter(({ alertId }) => alertId === alert.id);

test("the messages that were sent are counted by alert and receiver, with what decides whether they were needed", async () => {
  expect(await sentOf(story.over)).toEqual([
    {
      ...{ receiver: "comms-slack", rule: "negative-share", alertId: story.over.id, messages: 2 },
      ...{ isOver: true, acted: false, count: null, followers: null },
    },
  ]);
  expect(await sentOf(story.crisis)).toMatchObject([{ receiver: "comms-slack", messages: 1, isOver: false }]);
  expect(await stores.digests.sentAlerts(QUERIES.slice(0, 1), PERIOD)).toMatchObject([
    { alertId: story.crisis.id },
  ]);
  expect(await stores.digests.sentAlerts(QUERIES, { from: NOW + HOUR, to: NOW + DAY })).toEqual([]);
});

test("single mentions have the followers of their author, counts their number", async () => {
  const { openedAt } = story.single;
  await stores.alerts.save([{ ...story.single, windowFrom: openedAt, windowTo: openedAt }]);
  expect(await sentOf(story.single)).toMatchObject([{ count: null, followers: 1_204_000 }]);
  await stores.alerts.save([{ ...story.crisis, values: { count: 62, expected: 11 } }]);
  expect(await sentOf(story.crisis)).toMatchObject([{ count: 62, followers: null }]);
  await stores.alerts.save([{ ...story.crisis, values: { count: 62, share: 0.6 } }]);
  expect(await sentOf(story.crisis)).toMatchObject([{ count: null }]);
});

test.each([
  [{ acknowledgedBy: "Ann" }, true],
  [{ assignee: "Bo" }, true],
  [{ closedBy: "Ann", relevant: true }, true],
  [{ closedBy: "Ann", relevant: false }, false],
  [{ callingSince: NOW }, false],
])("with %j somebody acted: %s", async (handling, acted) => {
  await stores.alerts.save([{ ...story.over, handling }]);
  expect(await sentOf(story.over)).toMatchObject([{ acted }]);
});

test("an incident that was not over at some moment of the period is in it", async () => {
  const leader = anAlert({ openedAt: NOW - 3 * HOUR });
  const incident: Incident = {
    ...{ id: "019cb3d1-0000-7000-8000-000000000001", projectId: PROJECT, queryId: "1", queryName: "One" },
    ...{ group: "", leaderId: leader.id, status: "over", severity: "critical", openedAt: NOW - 3 * HOUR },
    ...{ countedFrom: NOW - 3 * HOUR, notified: { at: NOW - 3 * HOUR, count: 1 } },
    ...{ lastSeenAt: NOW - 2 * HOUR, alerts: 2, uncalmUntil: NOW - 2 * HOUR, calmSince: NOW - 2 * HOUR },
    ...{ endedAt: NOW - HOUR, checkedUntil: NOW, notifyCount: 1, renotifyReason: null, waves: 0 },
    ...{
      measure: "negative",
      usual: null,
      peak: { negative: 1, total: 2 },
      day: 1,
      factAt: NOW,
      handling: {},
    },
  } as const;
  await stores.incidents.save([incident]);
  const between = async (from: number, to: number) =>
    (await stores.incidents.openBetween(from, to)).map(({ incident: { id } }) => id);
  expect(await between(NOW - 90 * MINUTE, NOW)).toEqual([incident.id]);
  expect(await between(NOW - DAY, NOW - 2 * HOUR)).toEqual([incident.id]);
  expect(await between(NOW, NOW + DAY)).toEqual([]);
  expect(await between(NOW - DAY, NOW - 4 * HOUR)).toEqual([]);

  // A part is in the incident that speaks for it, which goes on with it.
  const part: Incident = {
    ...{ ...incident, id: "019cb3d1-0000-7000-8000-000000000002", queryId: "2", queryName: "Two" },
    ...{ partOf: incident.id, status: "open", calmSince: null, endedAt: null },
  };
  await stores.incidents.save([part]);
  expect(await stores.incidents.openBetween(NOW, NOW + DAY)).toEqual([{ incident, parts: [part] }]);
});
