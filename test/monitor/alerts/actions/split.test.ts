import { beforeAll, expect, test } from "vitest";
import { createManualClock } from "../../../../src/lib/clock.ts";
import { HOUR } from "../../../../src/lib/instant.ts";
import { createAlertActions } from "../../../../src/monitor/alerts/actions/alert-actions.ts";
import { reconsiderAlerts } from "../../../../src/monitor/ingest/reconsider-alerts.ts";
import { recordNotifications } from "../../../../src/monitor/ingest/record-notifications.ts";
import type { Alert } from "../../../../src/monitor/model/alert.ts";
import type { NotifyConfig } from "../../../../src/monitor/notify/decide/decide-notifications.ts";
import { RouteConfig } from "../../../../src/monitor/notify/decide/route.ts";
import { ensurePartitions } from "../../../../src/monitor/store/partitions.ts";
import { anAlert, makeAnIncident, PROJECT } from "../../../console/make-a-story.ts";
import { useStores } from "../../../use-stores.ts";

const NOW = Date.parse("2026-03-03T14:05:00Z");
const BY = { via: "page", login: "ann", typed: null } as const;
const { database, stores } = await useStores();
const clock = createManualClock(NOW);
const actions = createAlertActions({ stores, clock });
const notifyConfig: NotifyConfig = {
  routes: [RouteConfig.parse({ receivers: ["team"] })],
  receiver: (name) => ({ name, quietHours: [], throttle: null }),
  ...{ inhibitions: [], escalations: [], rotations: [], throttled: [] },
};
const parts = { store: stores, notifyConfig, clock };

const queryOf = (queryId: string) => ({
  ...{ projectId: PROJECT, projectName: "Brands", timezone: "UTC", queryId, name: "Brand" },
});

beforeAll(async () => {
  await ensurePartitions(database.db, NOW);
  await stores.queries.register(["1", "2"].map(queryOf), NOW - HOUR, NOW - HOUR);
});

/** The alert, and what else it names, as one message. */
async function notify(alert: Alert): Promise<void> {
  const pending = await stores.transaction((facts) =>
    recordNotifications(facts, parts, queryOf(alert.queryId), [alert]),
  );
  expect(pending.map(({ alertId }) => alertId)).toEqual([alert.id]);
}

async function sentOf(queryId: string): Promise<unknown> {
  const result = await reconsiderAlerts(parts, queryOf(queryId));
  return result.outcome === "Decided"
    ? result.pending.map(({ alertId, kind }) => ({ alertId, kind }))
    : result;
}

test("an alert that leaves its incident is sent at once", async () => {
  const [leader, member] = [anAlert({ openedAt: NOW - HOUR }), anAlert({ openedAt: NOW - HOUR + 1 })];
  await stores.alerts.save([leader, member]);
  await makeAnIncident(stores, leader, [member]);
  await notify(leader);
  expect(await actions.splitAlert(member.id, BY)).toMatchObject({ outcome: "Done" });
  expect(await sentOf("1")).toEqual([{ alertId: member.id, kind: "fired" }]);
  expect(await sentOf("1")).toEqual([]);
});

test("an incident of another query that speaks for itself again is sent at once", async () => {
  const leader = anAlert({ openedAt: NOW - HOUR + 2 });
  const other = anAlert({ openedAt: NOW - HOUR + 3, queryId: "2" });
  await stores.alerts.save([leader, other]);
  const whole = await makeAnIncident(stores, leader);
  const part = await makeAnIncident(stores, other);
  await stores.incidents.save([{ ...part, partOf: whole.id }]);
  await notify(leader);
  expect(await actions.splitAlert(other.id, BY)).toMatchObject({ outcome: "Done" });
  expect(await sentOf("2")).toEqual([{ alertId: other.id, kind: "fired" }]);
});
