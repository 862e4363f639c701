import { beforeAll, beforeEach, expect, test } from "vitest";
import { createManualClock } from "../../../../src/lib/clock.ts";
import { HOUR } from "../../../../src/lib/instant.ts";
import { createAlertActions } from "../../../../src/monitor/alerts/actions/alert-actions.ts";
import { writeNote } from "../../../../src/monitor/alerts/actions/write-note.ts";
import type { Alert } from "../../../../src/monitor/model/alert.ts";
import type { Incident } from "../../../../src/monitor/model/incident.ts";
import { ensurePartitions } from "../../../../src/monitor/store/partitions.ts";
import { anAlert, makeAnIncident, PROJECT } from "../../../console/make-a-story.ts";
import { useStores } from "../../../use-stores.ts";

const NOW = Date.parse("2026-03-03T14:05:00Z");
const BY = { via: "page", login: "ann", typed: null } as const;
const { database, stores } = await useStores();
const actions = createAlertActions({
  stores,
  clock: createManualClock(NOW),
  correct: async () => "neutral",
});
let alone: Alert;
let member: Alert;
let whole: Incident;
let opened = 0;

beforeAll(async () => {
  await ensurePartitions(database.db, NOW);
  const query = { projectId: PROJECT, projectName: "Brands", timezone: "UTC", queryId: "1", name: "Brand" };
  await stores.queries.register([query], NOW - HOUR, NOW - HOUR);
});

beforeEach(async () => {
  const next = () => anAlert({ openedAt: NOW - HOUR + ++opened });
  const leader = next();
  [alone, member] = [next(), next()];
  await stores.alerts.save([leader, alone, member]);
  whole = await makeAnIncident(stores, leader, [member]);
});

async function another(): Promise<string> {
  const alert = anAlert({ openedAt: NOW - HOUR + ++opened });
  await stores.alerts.save([alert]);
  return (await makeAnIncident(stores, alert)).id;
}

const ACTS: readonly (readonly [what: string, act: () => Promise<unknown>])[] = [
  ["an acknowledgement", () => actions.act(alone.id, { do: "acknowledge" }, BY)],
  ["an end", () => actions.act(alone.id, { do: "resolve" }, BY)],
  ["an action on an incident", () => actions.act(member.id, { do: "acknowledge" }, BY)],
  [
    "a correction",
    () => actions.correct(alone.id, { queryId: "1", resourceId: "m", sentiment: "neutral" }, BY),
  ],
  [
    "the end of a silence",
    async () => {
      const silenced = await actions.silenceAlert(alone.id, HOUR, BY);
      return actions.expireSilence(silenced?.outcome === "Done" ? silenced.silence.id : "", BY);
    },
  ],
  ["a merge", async () => actions.mergeIncidents(whole.id, await another(), BY)],
  ["a split", () => actions.splitAlert(member.id, BY)],
  [
    "a comment",
    () =>
      stores.transaction((facts) =>
        writeNote(facts, whole, { kind: "comment", status: null, text: "We look" }, BY, NOW),
      ),
  ],
];

test.each(ACTS)("%s is announced with its commit: the next sweep follows at once", async (_, act) => {
  const client = await database.pool.connect();
  try {
    let heard = 0;
    client.on("notification", () => {
      heard += 1;
    });
    await client.query("listen earshot_due");
    await act();
    // What was announced before it is delivered before its answer.
    await client.query("select 1");
    expect(heard).toBeGreaterThan(0);
  } finally {
    client.release(true);
  }
});
