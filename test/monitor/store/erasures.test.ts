import { sql } from "kysely";
import { beforeEach, expect, test } from "vitest";
import { HOUR } from "../../../src/lib/instant.ts";
import { uuid7 } from "../../../src/lib/uuid7.ts";
import type { Alert } from "../../../src/monitor/model/alert.ts";
import { aMention } from "../../mention.ts";
import { oddQuery } from "../../odd-world.ts";
import { useStores } from "../../use-stores.ts";
import { changedBy } from "./changed-by.ts";
import { begun } from "./waiting.ts";

const NOON = Date.parse("2026-03-02T12:00:00Z");
const { database, stores } = await useStores();
const { erasures } = stores;
const [P, OTHER] = ["p", "other"];
const QUERY = { projectId: P, queryId: "1" };
const SPAN = { from: NOON, to: NOON + HOUR };

const TABLES = [
  "alerts",
  "latest_alerts",
  "alert_messages",
  "notifications",
  "corrections",
  "digests",
  "mentions",
];
beforeEach(async () => {
  for (const table of [...TABLES, "queries"])
    await sql`delete from ${sql.table(`earshot.${table}`)}`.execute(database.db);
});

function anAlert(rule: string, facts: Partial<Alert> = {}): Alert {
  const id = uuid7(NOON);
  return {
    ...{ id, projectId: P, rule, fingerprint: id, queryId: "1", queryName: "Acme", severity: "warning" },
    ...{ state: "firing", labels: { query: "Acme" }, openedAt: NOON, firedAt: NOON, lastSeenAt: NOON },
    ...{ resolvedAt: null, notifyCount: 1, renotifyReason: null, mentions: 3, because: "" },
    ...{ windowFrom: NOON, windowTo: NOON, values: {}, handling: {}, progress: {} },
    ...facts,
  };
}

test("alerts about mentions are the named ones of the query, and those whose windows may have counted one", async () => {
  const window = (from: number, to: number) => ({
    windowFrom: from,
    windowTo: to,
    openedAt: to,
    lastSeenAt: to,
  });
  const named = anAlert("named");
  const all = [
    named,
    anAlert("single"),
    // Up to the first moment, from the last one; an hour is its length, and the hour before counts as well.
    anAlert("until the first", window(SPAN.from - HOUR, SPAN.from)),
    anAlert("before", window(SPAN.from - HOUR, SPAN.from - 1)),
    anAlert("seen again", { ...window(SPAN.from - HOUR, SPAN.from - 1), lastSeenAt: SPAN.from }),
    anAlert("from the last", { ...window(SPAN.to, SPAN.to + HOUR), openedAt: SPAN.to + 2 * HOUR }),
    anAlert("after", { ...window(SPAN.to + 1, SPAN.to + 1 + HOUR), openedAt: SPAN.to + 1 + 2 * HOUR }),
    anAlert("elsewhere", { ...window(SPAN.from, SPAN.to), queryId: "2" }),
  ];
  await stores.alerts.save(all);
  await stores.alerts.save(all.map((one) => ({ ...one, projectId: OTHER, rule: `twin of ${one.rule}` })));
  const elsewhere = all.find(({ rule }) => rule === "elsewhere")?.id ?? "";
  const found = await erasures.alertsAbout(QUERY, [named.id, elsewhere], SPAN);
  expect(found.map(({ rule }) => rule).sort()).toEqual([
    ...["from the last", "named", "seen again", "until the first"],
  ]);
});

async function notify(projectId: string, alertId: string | null, facts: object = {}): Promise<string> {
  const id = uuid7(NOON);
  const why = { receiver: "slack", kind: "fired", digest: null, createdAt: NOON, reason: "" } as const;
  await stores.notifications.addPending([{ ...why, id, projectId, alertId, ...facts }]);
  return id;
}
const setNotification = (id: string, assignment: ReturnType<typeof sql>) =>
  sql`update earshot.notifications set ${assignment} where id = ${id}::uuid`.execute(database.db);

test("what an alert says is replaced in it, its live messages and its notifications, and nowhere else", async () => {
  const [own, beside] = [anAlert("own"), anAlert("beside")];
  const names = new Map([
    [own.id, "own"],
    [beside.id, "beside"],
  ]);
  for (const projectId of [P, OTHER])
    for (const alert of [own, beside]) {
      await stores.alerts.save([{ ...alert, projectId }]);
      await stores.alertMessages.stale({ projectId, alertId: alert.id, receiver: "slack" });
      const id = await notify(projectId, alert.id);
      names.set(id, alert.rule);
      await setNotification(id, sql`state = 'sent'`);
    }
  await sql`update earshot.alert_messages set attempts = 3`.execute(database.db);
  const content = { id: own.id, labels: own.labels, explanation: { a: 1 } };
  const changed = async (table: string, id: string, work: () => Promise<unknown>) =>
    (await changedBy(database.db, table, ["project_id", id], work)).map((key) =>
      key.replace(/\S{36}/, (found) => names.get(found) ?? found),
    );
  let [messages, corrections]: string[][] = [];
  const save = () => erasures.saveAlert(P, content, { matched: 1, forgotten: 2 });
  const alerts = await changed("alerts", "id", async () => {
    messages = await changed("alert_messages", "alert_id", async () => {
      corrections = await changed("corrections", "notification_id", save);
    });
  });
  expect([alerts, messages, corrections]).toEqual([["p own"], ["p own"], ["p own"]]);
  expect(await erasures.contentOf(P, own.id)).toEqual({ forgotten: 2, version: 1, explanation: { a: 1 } });
  expect(await erasures.contentOf(OTHER, own.id)).toMatchObject({ forgotten: 0, version: 0 });
  expect(await erasures.contentOf(P, beside.id)).toMatchObject({ forgotten: 0, version: 0 });
});

test("messages are corrected that were sent or may have been: each once, by its first notification", async () => {
  const alert = anAlert("own");
  const which = sql`n.alert_id = ${alert.id}::uuid`;
  const ids: Record<string, string> = {};
  const add = async (name: string, assignment: ReturnType<typeof sql>, facts: object = {}, projectId = P) => {
    const id = await notify(projectId, alert.id, facts);
    ids[id] = name;
    await setNotification(id, assignment);
  };
  const sent = (ts: string) =>
    sql`state = 'sent', vendor_ref = ${JSON.stringify({ ts, subject: "Ann" })}::jsonb`;
  await setNotification(await notify(P, anAlert("beside").id), sent("2"));
  await add("sent", sent("1"));
  await add("covered by it", sent("1"));
  await add("another message", sent("2"));
  await add("at another receiver", sent("1"), { receiver: "press" });
  await add("of another project", sent("1"), {}, OTHER);
  await add("never tried", sql`attempts = 0`);
  await add("may be sent", sql`attempts = 1`);
  await add("a test", sent("9"), { kind: "test" });
  const version = async () => {
    await erasures.correct(which);
    const { rows } = await sql<{ id: string; version: number }>`
      select notification_id as id, version from earshot.corrections`.execute(database.db);
    return rows.map((one) => `${ids[one.id]} ${one.version}`).sort();
  };
  const wanted = ["another message", "at another receiver", "may be sent", "of another project", "sent"];
  expect(await version()).toEqual(wanted.map((name) => `${name} 1`));
  expect(await version()).toEqual(wanted.map((name) => `${name} 2`));
  const { rows } = await sql`select from earshot.notifications where vendor_ref ? 'subject'`.execute(
    database.db,
  );
  expect(rows).toHaveLength(1);
});

test("editions are found by a moment of their period, and what is said of one is its own", async () => {
  const before = { from: NOON - HOUR, to: NOON };
  const announce = (name: string, localDate: string, period: { from: number; to: number }) =>
    stores.digests.announce({ name, localDate, dueAt: NOON, period, before });
  await announce("own", "2026-03-02", SPAN);
  await announce("own", "2026-03-03", { from: SPAN.to, to: SPAN.to + HOUR });
  await announce("beside", "2026-03-02", { from: SPAN.from + 1, to: SPAN.to });
  const key = { name: "own", localDate: "2026-03-02", ...SPAN };
  const changed = (work: () => Promise<unknown>) =>
    changedBy(database.db, "digests", ["name", "local_date"], work);
  expect(await changed(() => erasures.saveDigest(key, { a: 1 }))).toEqual(["own 2026-03-02"]);
  const mail = (localDate: string) =>
    notify(P, null, { kind: "digest", receiver: "mail", digest: { name: "own", localDate } });
  const ids = [await mail("2026-03-02"), await mail("2026-03-03")];
  for (const id of ids) await setNotification(id, sql`state = 'sent'`);
  const corrected = await changedBy(database.db, "corrections", ["notification_id"], () =>
    erasures.saveDigest(key, {}),
  );
  expect(corrected).toEqual(ids.slice(0, 1));
  await sql`update earshot.digests set body = '{}'`.execute(database.db);
  const found = async (moment: number) =>
    (await erasures.digestsOf([moment])).map(({ edition }) => `${edition.name} ${edition.localDate}`);
  expect(await found(SPAN.from)).toEqual(["own 2026-03-02"]);
  expect(await found(SPAN.to - 1)).toEqual(["beside 2026-03-02", "own 2026-03-02"]);
  expect(await found(SPAN.to)).toEqual(["own 2026-03-03"]);
});

test("who would send old words waits until they are gone, and nobody else", async () => {
  const [own, beside] = [await notify(P, anAlert("own").id), await notify(P, anAlert("beside").id)];
  const [waits, goesOn] = await stores.transaction(async (mine) => {
    await mine.erasures.correct(sql`n.id = ${own}::uuid`);
    const other = await begun(database.db, () => stores.notifications.claim(P, beside));
    return [await begun(database.db, () => stores.notifications.claim(P, own)), other];
  });
  expect([waits.waits, goesOn.waits]).toEqual([true, false]);
  expect(await Promise.all([waits.result, goesOn.result])).toMatchObject([{ id: own }, { id: beside }]);
});

test("an edition that is being built is waited for", async () => {
  await stores.digests.announce({
    name: "own",
    localDate: "2026-03-02",
    dueAt: NOON,
    period: SPAN,
    before: SPAN,
  });
  const building = await stores.transaction(async (mine) => {
    await mine.erasures.digestsOf([NOON]);
    return begun(database.db, () => stores.digests.findDue("own", "2026-03-02"));
  });
  expect([building.waits, (await building.result)?.name]).toEqual([true, "own"]);
});

test("an author or hashtag is still used if a mention of the period has it", async () => {
  await stores.queries.register([oddQuery(QUERY)], NOON, NOON);
  const store = async (name: string, at: number) => {
    const mention = aMention({ resourceId: name, publishedAt: at, author: name, hashtags: [`#${name}`] });
    const page = [{ mention, eventAt: at, story: name }];
    await stores.mentions.storePage(P, stores.mentions.rowsOf(page), NOON);
  };
  await store("before", SPAN.from - 1);
  await store("first", SPAN.from);
  await store("last", SPAN.to - 1);
  await store("after", SPAN.to);
  const names = ["before", "first", "last", "after"];
  const used = await erasures.stillUsed(SPAN, { authors: names, hashtags: names });
  expect([used.authors.sort(), used.hashtags.sort()]).toEqual([
    ["first", "last"],
    ["first", "last"],
  ]);
  expect(await erasures.stillUsed(SPAN, { authors: ["first"], hashtags: ["last"] })).toEqual({
    ...{ authors: ["first"], hashtags: ["last"] },
  });
});
