import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { HOUR } from "../../src/lib/instant.ts";
import { uuid7 } from "../../src/lib/uuid7.ts";
import type { Incident } from "../../src/monitor/model/incident.ts";
import { ensurePartitions } from "../../src/monitor/store/partitions.ts";
import { anAlert, makeAStory } from "../console/make-a-story.ts";
import { incidentOf } from "../monitor/incidents/incident-of.ts";
import { useStores } from "../use-stores.ts";
import { printOf } from "./run-command.ts";

const NOW = Date.parse("2026-03-03T14:05:00Z");
const { url, database, stores } = await useStores({ onError: () => {} });
const alertNamed = (fingerprint: string) => anAlert({ openedAt: NOW - HOUR, fingerprint });
const [leader, joined, other] = [alertNamed("one"), alertNamed("two"), alertNamed("three")] as const;
const { projectId, queryId } = leader;
const first = anIncident(leader.id);
const second = anIncident(other.id);
let home: string;

function anIncident(leaderId: string): Incident {
  return incidentOf({
    id: uuid7(NOW - HOUR),
    projectId,
    queryId,
    queryName: "Aurora Air",
    leaderId,
    openedAt: NOW - HOUR,
  });
}

beforeAll(async () => {
  await ensurePartitions(database.db, NOW);
  await makeAStory(stores, NOW);
  await stores.alerts.save([leader, joined, other]);
  await stores.incidents.save([first, second]);
  const member = (alertId: string, incidentId: string) => ({
    projectId,
    alertId,
    incidentId,
    joinedAt: NOW,
    because: "",
  });
  await stores.incidents.join([
    member(leader.id, first.id),
    member(joined.id, first.id),
    member(other.id, second.id),
  ]);
  home = await mkdtemp(join(tmpdir(), "earshot-incidents-"));
});
afterAll(() => rm(home, { recursive: true }));

const earshot = (...words: string[]) => printOf(words, { DATABASE_URL: url, EARSHOT_HOME: home });

const statusOf = async (id: string) => (await stores.incidents.find(projectId, id))?.status;

test("an acknowledgement of one alert is one of its incident, and of all its alerts", async () => {
  expect(await earshot("incidents")).toContain(first.id);
  await earshot("alerts", "ack", joined.id, "--by", "Ann");
  expect(await statusOf(first.id)).toBe("handled");
  const states = await stores.alerts.findMany(projectId, [leader.id, joined.id]);
  expect(states.map(({ state }) => state)).toEqual(["acknowledged", "acknowledged"]);
  expect(await statusOf(second.id)).toBe("open");
});

test("incidents are merged and split by hand, which leaves a line and loses no alert", async () => {
  expect(await earshot("incidents", "merge", first.id, second.id, "--by", "Ann")).toBe(
    `${first.id} has 3 alerts now`,
  );
  expect(await statusOf(second.id)).toBe("over");
  expect(await earshot("incidents", "show", first.id)).toMatch(
    /Merged +2 alerts of another incident, by .*"Ann"/,
  );
  await expect(earshot("incidents", "split", leader.id)).rejects.toThrow("it began the incident");
  expect(await earshot("incidents", "split", other.id)).toContain("stands alone now");
  expect(await stores.incidents.members(projectId, [first.id])).toHaveLength(2);
  await expect(earshot("incidents", "split", other.id)).rejects.toThrow("it is in no incident");
  await expect(earshot("incidents", "merge", first.id, first.id)).rejects.toThrow("with itself");
});

test("an incident of two brands is one row, which goes on while one of them does", async () => {
  const of = (queryName: string, more: Partial<Incident>): Incident => ({
    ...anIncident(alertNamed(queryName).id),
    ...{ queryId: queryName, queryName },
    ...more,
  });
  const whole = of("Brell", { status: "over", endedAt: NOW });
  await stores.incidents.save([whole, of("Corva", { partOf: whole.id, severity: "critical", alerts: 2 })]);
  const rows = (await earshot("incidents")).split("\n").filter((line) => /Brell|Corva/.test(line));
  expect(rows).toHaveLength(1);
  expect(rows[0]).toMatch(new RegExp(`^${whole.id} +critical +open +Brell, Corva `));
  const listed = JSON.parse(await earshot("incidents", "--json")) as Incident[];
  expect(listed.filter(({ queryName }) => /Brell|Corva/.test(queryName))).toMatchObject([
    { id: whole.id, status: "open", severity: "critical", parts: [{ queryName: "Corva" }] },
  ]);
});

test("who resolves an alert of it ends the incident, once", async () => {
  await earshot("alerts", "resolve", leader.id, "--by", "Ann");
  expect(await stores.incidents.find(projectId, first.id)).toMatchObject({
    status: "over",
    handling: { relevant: true },
  });
  const entries = await stores.incidents.entries(projectId, first.id);
  expect(entries.map(({ kind }) => kind)).toEqual(["Handled", "Merged", "Split", "Over"]);
  const member = await stores.alerts.find(projectId, joined.id);
  expect(member?.state).toBe("resolved");
});
