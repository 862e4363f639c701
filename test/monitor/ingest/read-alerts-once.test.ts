import { beforeAll, expect, test } from "vitest";
import { readAlertsOnce } from "../../../src/monitor/ingest/read-alerts-once.ts";
import { useStores } from "../../use-stores.ts";
import { alertOf } from "../incidents/incident-of.ts";

const { stores } = await useStores();
const [A, B, GONE] = [1, 2, 3].map((n) => `019cad2e-c000-7000-8000-00000000000${n}`) as [
  string,
  string,
  string,
];
const { projectId } = alertOf();

beforeAll(() => stores.alerts.save([A, B].map((id) => alertOf({ id, fingerprint: id }))));

test("each alert is read once, and all that are asked for are there, each once", async () => {
  await stores.transaction(async (facts) => {
    const asked: (readonly string[])[] = [];
    const findMany: typeof facts.alerts.findMany = (project, ids) => {
      asked.push(ids);
      return facts.alerts.findMany(project, ids);
    };
    const { alerts } = readAlertsOnce({ ...facts, alerts: { ...facts.alerts, findMany } });
    const ids = async (wanted: readonly string[]) =>
      (await alerts.findMany(projectId, wanted)).map(({ id }) => id);
    expect(await ids([A])).toEqual([A]);
    expect(await ids([B, A, A, GONE])).toEqual([B, A]);
    expect(await ids([A, B])).toEqual([A, B]);
    expect(asked).toEqual([[A], [B, GONE], []]);
  });
});
