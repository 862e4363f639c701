import { expect, test } from "vitest";
import { createManualClock } from "../../../src/lib/clock.ts";
import { HOUR } from "../../../src/lib/instant.ts";
import { closeWindows } from "../../../src/monitor/ingest/close-windows.ts";
import { reconsiderAlerts } from "../../../src/monitor/ingest/reconsider-alerts.ts";
import { recordNotifications } from "../../../src/monitor/ingest/record-notifications.ts";
import type { NotifyConfig } from "../../../src/monitor/notify/decide/decide-notifications.ts";
import { RouteConfig } from "../../../src/monitor/notify/decide/route.ts";
import { ensurePartitions } from "../../../src/monitor/store/partitions.ts";
import { anAlert, makeAnIncident, PROJECT } from "../../console/make-a-story.ts";
import { useStores } from "../../use-stores.ts";
import { dueWork } from "../store/due-work.ts";

const NOW = Date.parse("2026-03-03T14:05:00Z");
const { database, stores } = await useStores();
const notifyConfig: NotifyConfig = {
  routes: [RouteConfig.parse({ receivers: ["team"] })],
  receiver: (name) => ({ name, quietHours: [], throttle: null }),
  ...{ inhibitions: [], escalations: [], rotations: [], throttled: [] },
};
const parts = { store: stores, notifyConfig, clock: createManualClock(NOW), rulesFor: () => [] };
const queryOf = (queryId: string) => ({
  ...{ projectId: PROJECT, projectName: "Brands", timezone: "UTC", queryId, name: "Brand" },
});

test("an incident that has calmed down ends with its query, and its end is sent", async () => {
  await ensurePartitions(database.db, NOW);
  const query = queryOf("1");
  await stores.queries.register([query], NOW - HOUR, NOW - HOUR);
  const leader = anAlert({ openedAt: NOW - HOUR });
  await stores.alerts.save([leader]);
  const incident = await makeAnIncident(stores, leader);
  await stores.transaction((facts) => recordNotifications(facts, parts, query, [leader]));
  // All its alerts are resolved: it is only watched.
  await stores.alerts.save([{ ...leader, state: "resolved", resolvedAt: NOW - 1 }]);
  await stores.incidents.save([{ ...incident, status: "watching", calmSince: NOW - 1 }]);
  const due = async () => (await dueWork(stores, NOW)).windows;
  expect(await due()).toEqual([]);
  // It is narrowed out of the configuration.
  await stores.queries.register([queryOf("2")], NOW, NOW);
  expect(await due()).toEqual([{ projectId: PROJECT, queryId: "1" }]);
  expect(await reconsiderAlerts(parts, query)).toEqual({ outcome: "WindowsFirst" });
  const { pending } = await closeWindows(parts, query);
  expect(pending).toMatchObject([{ alertId: leader.id, kind: "resolved" }]);
  expect(await stores.incidents.find(PROJECT, incident.id)).toMatchObject({ status: "over", endedAt: NOW });
  expect(await due()).toEqual([]);
});
