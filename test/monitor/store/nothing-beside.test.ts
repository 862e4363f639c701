import { createHash, randomUUID } from "node:crypto";
import { sql } from "kysely";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { DAY, HOUR, MINUTE, utcDay } from "../../../src/lib/instant.ts";
import { uuid7 } from "../../../src/lib/uuid7.ts";
import { ALL_PROJECTS } from "../../../src/monitor/model/digest.ts";
import { askedHash, FORGET_SECRET } from "../../../src/monitor/model/forget-request.ts";
import type { Mention } from "../../../src/monitor/model/mention.ts";
import { PEOPLE } from "../../../src/monitor/model/people.ts";
import { createMentionCountStore } from "../../../src/monitor/store/mention-counts.ts";
import { ensurePartitions } from "../../../src/monitor/store/partitions.ts";
import { aMention } from "../../mention.ts";
import { oddQuery } from "../../odd-world.ts";
import { useStores } from "../../use-stores.ts";
import { changedBy } from "./changed-by.ts";
import { begun } from "./waiting.ts";

// What a statement changes or finds is what it names: not the same of another user, query or project.

const NOON = Date.parse("2026-03-02T12:00:00Z");
const { database, stores } = await useStores();
const [P, OTHER] = ["p", "other"];

const TABLES = [
  ...[
    "mentions",
    "matches",
    "mention_workflow",
    "mention_steps",
    "source_edits",
    "dead_letters",
    "tombstones",
  ],
  ...["notifications", "forget_requests", "count_checks", "stale_counts", "mention_counts", "mention_days"],
  ...["views", "view_mails", "unsubscribed", "digests", "users", "sessions", "settings"],
];
beforeEach(async () => {
  for (const table of TABLES) await sql`delete from ${sql.table(`earshot.${table}`)}`.execute(database.db);
  await sql`update earshot.queries set active = true where project_id in (${P}, ${OTHER})`.execute(
    database.db,
  );
});

beforeAll(async () => {
  await ensurePartitions(database.db, NOON - 10 * DAY);
  await ensurePartitions(database.db, NOON);
  const queries = [P, OTHER].flatMap((projectId) =>
    ["1", "2"].map((queryId) => oddQuery({ projectId, queryId, name: `${projectId} ${queryId}` })),
  );
  await stores.queries.register(queries, NOON, NOON - DAY);
  await stores.polls.ensure(NOON);
});

async function store(projectId: string, ...mentions: readonly Mention[]): Promise<void> {
  const page = mentions.map((mention) => ({
    ...{ mention, eventAt: mention.publishedAt ?? mention.addedAt, story: mention.resourceId },
  }));
  await stores.mentions.storePage(projectId, stores.mentions.rowsOf(page), NOON);
}
const inQuery = (queryId: string, changes: Partial<Mention> = {}) =>
  aMention({ queryId, resourceId: "a", publishedAt: NOON, ...changes });

test("a user ends a view of theirs, and no other; nobody ends that of somebody else", async () => {
  const add = async (nameKey: string, title: string) => {
    const id = randomUUID();
    await stores.views.add({ ...{ id, nameKey, title, address: "/", isShared: true, createdAt: NOON } });
    return id;
  };
  const [first, second, bos] = [await add("ann", "A"), await add("ann", "B"), await add("bo", "C")];
  await stores.views.end(first, "ann");
  await stores.views.end(bos, "ann");
  expect((await stores.views.list("ann")).map(({ id }) => id)).toEqual([second, bos]);
});

test("a view is mailed to those who may see it, each under a name of their own, until they want it no more", async () => {
  const { views } = stores;
  const add = async (nameKey: string, title: string, isShared = false) => {
    const id = randomUUID();
    await views.add({ ...{ id, nameKey, title, address: "/", isShared, createdAt: NOON } });
    return id;
  };
  for (const [name, email] of [
    ["dora", "dora@acme.example"],
    ["emil", "emil@acme.example"],
    ["ferdi", null],
  ] as const)
    await stores.users.add({
      ...{ id: randomUUID(), name, role: "viewer", email, passwordHash: null, openId: null },
      ...{ createdAt: NOON, createdBy: "test" },
    });
  const own = await add("dora", "Own");
  const shared = await add("emil", "Shared", true);
  const emils = await add("emil", "Not hers");
  for (const id of [own, shared]) await views.mail(id, "dora", "UTC", NOON);
  const notHers = () => views.mail(emils, "dora", "UTC", NOON);
  expect(await changedBy(database.db, "view_mails", ["view_id", "name_key"], notHers)).toEqual([]);
  for (const name of ["emil", "ferdi"]) await views.mail(shared, name, "UTC", NOON);
  const mails = async () => (await views.mails()).map(({ nameKey, title }) => `${nameKey} ${title}`).sort();
  expect(await mails()).toEqual(["dora Own", "dora Shared", "emil Shared"]);

  const nameOf = async (title: string) =>
    (await views.mails()).find((one) => one.title === title && one.nameKey === "dora")?.name ?? "";
  const [ownName, sharedName] = [await nameOf("Own"), await nameOf("Shared")];
  const announce = (projectId: string, name: string, date: string) =>
    sql`insert into earshot.digests (project_id, name, local_date, period_from, period_to, before_from, before_to, due_at)
      values (${projectId}, ${name}, ${date}, now(), now(), now(), now(), now())`.execute(database.db);
  for (const date of ["2026-03-02", "2026-03-09"]) await announce(ALL_PROJECTS, ownName, date);
  await announce(ALL_PROJECTS, sharedName, "2026-03-16");
  await announce(P, ownName, "2026-03-16");
  expect((await views.mails()).find(({ name }) => name === ownName)?.last).toMatchObject({
    key: "2026-03-09",
  });

  const unsubscribe = (name: string, receiver: string) =>
    sql`insert into earshot.unsubscribed (digest_name, receiver) values (${name}, ${receiver})`.execute(
      database.db,
    );
  const listed = async () => (await views.list("dora")).map(({ title, mailedIn }) => `${title} ${mailedIn}`);
  await unsubscribe(ownName, PEOPLE);
  await unsubscribe(sharedName, "press");
  expect(await listed()).toEqual(expect.arrayContaining(["Own null", "Shared UTC"]));
  expect((await listed()).filter((one) => /^(Own|Shared)/.test(one))).toHaveLength(2);
  await unsubscribe(ownName, "press");
  await unsubscribe(sharedName, PEOPLE);
  const again = () => views.mail(own, "dora", "Europe/Berlin", NOON);
  expect(await changedBy(database.db, "unsubscribed", ["digest_name", "receiver"], again)).toEqual([
    `${ownName} ${PEOPLE}`,
  ]);
  expect(await listed()).toEqual(expect.arrayContaining(["Own Europe/Berlin", "Shared null"]));

  const noMore = () => views.mailNoMore(shared, "dora");
  expect(await changedBy(database.db, "view_mails", ["view_id", "name_key"], noMore)).toEqual([
    `${shared} dora`,
  ]);
  await views.mail(shared, "dora", "UTC", NOON);
  await sql`update earshot.views set is_shared = false where id = ${shared}::uuid`.execute(database.db);
  expect(await mails()).toEqual(["dora Own", "emil Shared"]);
  await sql`update earshot.users set ended_at = now() where name = 'emil'`.execute(database.db);
  expect(await mails()).toEqual(["dora Own"]);
});

test("a user has two hundred views at most", async () => {
  await sql`insert into earshot.views (id, name_key, title, address, is_shared, created_at)
    select gen_random_uuid(), 'many', '', '/', false, now() from generate_series(1, 199)`.execute(
    database.db,
  );
  const add = () =>
    stores.views.add({
      ...{ id: randomUUID(), nameKey: "many", title: "", address: "/", isShared: false, createdAt: NOON },
    });
  expect([await add(), await add()]).toEqual([true, false]);
});

test("all sessions of a user end but the one that is kept, and nobody else's", async () => {
  const open = async (nameKey: string) => {
    const id = randomUUID();
    await stores.sessions.open({
      ...{ id, secretHash: Buffer.from(id), nameKey, credential: "c", openedAt: NOON, seenAt: NOON },
      ...{ until: NOON + DAY, address: "192.0.2.1", agent: "" },
    });
    return id;
  };
  const [kept, ended, bos] = [await open("ann"), await open("ann"), await open("bo")];
  expect(await stores.sessions.endAll("ann", NOON, kept)).toBe(1);
  expect(await Promise.all([kept, ended, bos].map((id) => stores.sessions.isOpen(id, NOON)))).toEqual([
    ...[true, false, true],
  ]);
});

test("a mention whose day is corrected takes its own matches along, and not those of another query", async () => {
  const alertId = randomUUID();
  for (const queryId of ["1", "2"]) {
    await store(P, inQuery(queryId));
    await sql`
      insert into earshot.matches (project_id, query_id, resource_id, day, rule, alert_id, at, because)
      values (${P}, ${queryId}, 'a', '2026-03-02', 'r', ${alertId}::uuid, now(), '')
    `.execute(database.db);
  }
  await store(P, inQuery("1", { publishedAt: NOON - DAY, updatedAt: NOON + 1 }));
  const { rows } = await sql<{ query: string; day: string }>`
    select query_id as query, day::text from earshot.matches where alert_id = ${alertId}::uuid order by 1
  `.execute(database.db);
  expect(rows).toEqual([
    { query: "1", day: "2026-03-01" },
    { query: "2", day: "2026-03-02" },
  ]);
});

test("what people decided is of one mention of one project, and undone by its press", async () => {
  const named = (resourceId: string) => inQuery("2", { resourceId });
  await store(P, named("b"), named("c"));
  await store(OTHER, named("b"));
  const open = { status: "open", assignee: null, tags: [] } as const;
  const press = randomUUID();
  const actor = { via: "page", login: "ann", typed: null } as const;
  const save = (id: string, resourceId: string, assignee: string) =>
    stores.mentionWorkflow.save(
      P,
      "2",
      [{ resourceId, day: "2026-03-02", before: open, after: { ...open, assignee } }],
      { press: id, at: NOON, kind: "change", actor },
    );
  await save(press, "b", "ann");
  await save(randomUUID(), "c", "bo");
  const of = async (projectId: string) =>
    (await stores.mentionWorkflow.ofMentions(projectId, "2", ["b"])).map(
      ({ workflow }) => workflow?.assignee ?? null,
    );
  expect([await of(P), await of(OTHER)]).toEqual([["ann"], [null]]);
  expect((await stores.mentionWorkflow.ofPress(press)).map(({ resourceId }) => resourceId)).toEqual(["b"]);
});

test("a gap that is being closed is not opened anew, and reaches back as far as both", async () => {
  const span = { projectId: P, queryIds: ["1"], to: NOON };
  const reopen = (from: number, missing: number) =>
    stores.countChecks.reopen({ ...span, from }, missing, NOON);
  const { rows } = await sql`
    update earshot.polls set state = '{}' where project_id = ${P} and query_id = '1' returning poll
  `.execute(database.db);
  expect(rows.length).toBe(2);
  const gaps = async () =>
    (
      await sql<{ gap: unknown }>`
        select state -> 'gap' as gap from earshot.polls where project_id = ${P} and query_id = '1' and poll = 'added'
      `.execute(database.db)
    ).rows.map(({ gap }) => gap);
  await reopen(NOON - HOUR, 3);
  expect(await gaps()).toEqual([{ from: NOON - HOUR, tries: 0, missing: 3, noticedAt: NOON }]);
  await sql`update earshot.polls set state = jsonb_set(state, '{gap,tries}', '2') where poll = 'added'
    and project_id = ${P} and query_id = '1'`.execute(database.db);
  await reopen(NOON, 5);
  expect(await gaps()).toEqual([{ from: NOON - HOUR, tries: 2, missing: 3, noticedAt: NOON }]);
  await reopen(NOON - 2 * HOUR, 5);
  expect(await gaps()).toEqual([{ from: NOON - 2 * HOUR, tries: 2, missing: 3, noticedAt: NOON }]);
});

test("mentions are counted from the first moment of a span, and checks wait for no query that is not watched", async () => {
  const span = { projectId: OTHER, queryIds: ["1"], from: NOON, to: NOON + HOUR };
  await store(
    OTHER,
    inQuery("1", { resourceId: "before", publishedAt: NOON - 1 }),
    inQuery("1", { resourceId: "first" }),
    inQuery("1", { resourceId: "last", publishedAt: NOON + HOUR }),
    inQuery("1", { resourceId: "after", publishedAt: NOON + HOUR + 1 }),
  );
  expect(await stores.countChecks.stored(span)).toBe(2);
  await sql`
    insert into earshot.count_checks (id, project_id, query_ids, from_at, to_at, claimed, asked_at)
    values (${randomUUID()}::uuid, ${OTHER}, '{1}', now(), now(), 1, now())
  `.execute(database.db);
  expect(await stores.countChecks.caughtUp()).toEqual([]);
  await sql`update earshot.queries set active = false where project_id = ${OTHER} and query_id = '1'`.execute(
    database.db,
  );
  expect((await stores.countChecks.caughtUp()).map(({ projectId }) => projectId)).toEqual([OTHER]);
});

test("mentions are read by the query, story, moment and name that are asked for", async () => {
  const { mentions } = stores;
  const beside = [
    [P, "8"],
    [OTHER, "7"],
  ] as const;
  const tell = (projectId: string, queryId: string, story: string, ...moments: readonly number[]) =>
    mentions.storePage(
      projectId,
      mentions.rowsOf(
        moments.map((at) => ({
          mention: aMention({ queryId, resourceId: `${story} ${at}`, publishedAt: at, addedAt: at }),
          ...{ eventAt: at, story },
        })),
      ),
      NOON,
    );
  for (const [projectId, queryId] of [[P, "7"], ...beside] as const) {
    await tell(projectId, queryId, "told", NOON - 1, NOON);
    await tell(projectId, queryId, "another", NOON);
  }
  expect(await mentions.storySizes(P, "7", ["told"], NOON)).toEqual(new Map([["told", 1]]));
  expect(await mentions.story(P, "7", "told", NOON)).toMatchObject({
    ...{ mentions: 1, first: { resourceId: `told ${NOON}` }, widest: { resourceId: `told ${NOON}` } },
  });
  const arrived: string[] = [];
  for await (const batch of mentions.byArrival(P, "7", 2, NOON))
    arrived.push(...batch.map(({ mention }) => mention.resourceId));
  expect(arrived).toEqual([`another ${NOON}`, `told ${NOON}`]);
  const byDay = await mentions.arrivalsByDay(["7"], NOON);
  expect(byDay).toEqual([{ queryId: "7", day: NOON - 12 * HOUR, n: 4 }]);

  const older = { startDate: NOON + DAY, sinceAdded: NOON + 2 * DAY };
  const isOlder = (which: "sinceAdded" | "sinceUpdated") =>
    mentions.hasOlder([{ projectId: P, queryId: "7" }], {
      ...{ startDate: older.startDate, [which]: older.sinceAdded },
    });
  const arrive = (projectId: string, queryId: string, resourceId: string, late: number, later: number) => {
    const [publishedAt, addedAt] = [older.startDate + late, older.sinceAdded + later];
    return store(projectId, aMention({ queryId, resourceId, publishedAt, addedAt, updatedAt: addedAt + 1 }));
  };
  for (const [projectId, queryId] of beside) await arrive(projectId, queryId, "x", 1, 0);
  await arrive(P, "7", "y", 1, 1);
  await arrive(P, "7", "z", 0, 0);
  expect(await isOlder("sinceAdded")).toBe(false);
  await arrive(P, "7", "w", 1, 0);
  expect([await isOlder("sinceAdded"), await isOlder("sinceUpdated")]).toEqual([true, false]);
  await arrive(P, "7", "v", 1, -1);
  expect(await isOlder("sinceUpdated")).toBe(true);

  await store(P, inQuery("1", { resourceId: "everywhere" }));
  await store(OTHER, inQuery("2", { resourceId: "everywhere" }), inQuery("1", { resourceId: "elsewhere" }));
  const found = await mentions.findAnywhere("everywhere");
  expect(found.map(({ projectId, queryName }) => `${projectId}: ${queryName}`).sort()).toEqual([
    ...["other: other 2", "p: p 1"],
  ]);
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from earshot.mentions
    where project_id = ${P} and query_id = '1'`.execute(database.db);
  const counted = (await mentions.countByQuery()).find(({ name }) => name === "p 1");
  expect(counted?.stored).toBe(rows[0]?.n);
});

/** The rows that `work` adds, changes or deletes in each of these tables. */
async function changedInEach(tables: Record<string, readonly string[]>, work: () => Promise<unknown>) {
  const changed: Record<string, readonly string[]> = {};
  let all = work;
  for (const [table, key] of Object.entries(tables)) {
    const inner = all;
    all = async () => {
      changed[table] = await changedBy(database.db, table, key, inner);
    };
  }
  await all();
  return changed;
}

test("what is forgotten of a mention is all that was made of it, in its query, and nothing of another", async () => {
  const { forgotten } = stores;
  const everywhere = [P, OTHER].flatMap((projectId) =>
    ["1", "2"].map((queryId) => [projectId, queryId] as const),
  );
  const alertId = randomUUID();
  for (const [projectId, queryId] of everywhere)
    for (const resourceId of ["gone", "stays"]) {
      await store(projectId, inQuery(queryId, { resourceId, author: "@ann" }));
      const key = sql`project_id, query_id, resource_id`;
      const own = sql`${projectId}, ${queryId}, ${resourceId}`;
      for (const statement of [
        sql`insert into earshot.mention_workflow (${key}, day) values (${own}, '2026-03-02')`,
        sql`insert into earshot.mention_steps (${key}, day, press, at, kind, actor)
          values (${own}, '2026-03-02', gen_random_uuid(), now(), 'note', '{}')`,
        sql`insert into earshot.source_edits (${key}, id, at, actor, edit)
          values (${own}, ${uuid7(NOON)}::uuid, now(), '{}', '{}')`,
        sql`insert into earshot.matches (${key}, day, rule, alert_id, at, because)
          values (${own}, '2026-03-02', 'r', ${alertId}::uuid, now(), '')`,
        sql`insert into earshot.dead_letters (${key}, at, id, kind, reason, body)
          values (${own}, ${new Date(NOON)}, ${uuid7(NOON)}::uuid, 'mention', 'x', '{"author": "ann"}')`,
      ])
        await statement.execute(database.db);
    }
  for (const [kind, resourceId] of [
    ["page", "gone"],
    ["mention", null],
  ])
    await sql`insert into earshot.dead_letters (project_id, query_id, resource_id, at, id, kind, reason, body)
      values (${P}, '1', ${resourceId}, ${new Date(NOON)}, ${uuid7(NOON)}::uuid, ${kind}, 'x', '{"author": "ann"}')
    `.execute(database.db);
  expect(await forgotten.alertsOf(P, "1", ["gone"])).toEqual(new Map([["gone", [alertId]]]));

  const found = async (source: string | null) =>
    (await forgotten.findMentions({ what: "author", value: "ann", source }, 99)).length;
  await store(P, inQuery("1", { resourceId: "on a site", author: "@ann", domain: "site.example" }));
  // Eight that are stored, and their dead letters, and the one on that site.
  expect([await found(null), await found("site.example"), await found("another.example")]).toEqual([
    17, 1, 0,
  ]);

  const keys = ["project_id", "query_id", "resource_id"];
  const tables = {
    ...{ mentions: keys, mention_workflow: keys, mention_steps: keys, source_edits: keys, matches: keys },
    dead_letters: [...keys, "kind"],
  };
  expect(await changedInEach(tables, () => forgotten.remove(P, "1", ["gone"]))).toEqual({
    ...Object.fromEntries(Object.keys(tables).map((table) => [table, ["p 1 gone"]])),
    dead_letters: ["p 1 gone mention"],
  });

  await forgotten.addTombstones(P, "1", [{ resourceId: "gone", eventAt: NOON }], "request", NOON);
  const again = () =>
    forgotten.addTombstones(P, "1", [{ resourceId: "gone", eventAt: NOON }], "source", NOON + 1);
  expect(await changedBy(database.db, "tombstones", ["project_id", "query_id"], again)).toEqual([]);
  await forgotten.addTombstones(OTHER, "1", [{ resourceId: "stays", eventAt: NOON }], "request", NOON);
  expect(await forgotten.tombstonesOf("gone")).toEqual([
    { projectId: P, queryId: "1", at: NOON, reason: "request" },
  ]);
});

test("messages about a mention are those that were sent about the alerts that it met", async () => {
  const [alertId, anothers] = [randomUUID(), randomUUID()];
  const match = (projectId: string, queryId: string, resourceId: string, id: string) =>
    sql`insert into earshot.matches (project_id, query_id, resource_id, day, rule, alert_id, at, because)
      values (${projectId}, ${queryId}, ${resourceId}, '2026-03-02', 'r', ${id}::uuid, now(), '')`.execute(
      database.db,
    );
  const send = (projectId: string, receiver: string, id: string, state = "sent") =>
    sql`insert into earshot.notifications (project_id, id, receiver, kind, alert_id, created_at, reason, state)
      values (${projectId}, ${uuid7(NOON)}::uuid, ${receiver}, 'fired', ${id}::uuid, now(), '', ${state})`.execute(
      database.db,
    );
  await match(P, "1", "told", alertId);
  // Another mention, the same one of another query, and that of another project.
  await match(P, "1", "beside", anothers);
  await match(P, "2", "told", anothers);
  await match(OTHER, "1", "told", anothers);
  await send(P, "press", alertId);
  await send(P, "waits", alertId, "due");
  await send(OTHER, "of another project", alertId);
  await send(P, "of another mention", anothers);
  await send(OTHER, "of another mention", anothers);
  const told = { projectId: P, mention: inQuery("1", { resourceId: "told" }) };
  expect(await stores.forgotten.sentAbout([told])).toEqual([{ receiver: "press", messages: 1 }]);
});

test("names that were asked to be forgotten are those that are asked about, from a moment on", async () => {
  const { forgotten, settings } = stores;
  const secret = Buffer.from("a secret of this installation");
  await settings.put(FORGET_SECRET, secret.toString("base64url"));
  const ask = (value: string, at: number) =>
    forgotten.addRequest({
      ...{ id: randomUUID(), at, actor: { via: "page", login: "ann", typed: null }, what: "author" },
      asked: askedHash(secret, { what: "author", value, source: null }),
      ...{ ofOneSource: false, mentions: 0, alerts: 0, localMentions: null, files: null },
    });
  await ask("early", NOON - 1);
  await ask("in time", NOON);
  await ask("somebody else", NOON);
  expect(await forgotten.namesAsked(["early", "in time", "never"], NOON)).toEqual(new Set(["in time"]));
});

test("what changed is counted again, in its quarter, query and project, and nothing else is", async () => {
  const { mentionCounts, forgotten } = stores;
  const QUARTER = 15 * MINUTE;
  const noon = NOON - 10 * DAY;
  const tell = (projectId: string, queryId: string, ...moments: readonly number[]) =>
    store(
      projectId,
      ...moments.map((publishedAt) =>
        aMention({ queryId, resourceId: `${publishedAt}`, publishedAt, author: "ann", domain: "x.example" }),
      ),
    );
  const count = async (projectId: string, queryId: string, at: number) =>
    (
      await sql<{ n: number }>`
        select coalesce(sum(mentions), 0)::int as n from earshot.mention_counts where project_id = ${projectId}
          and query_id = ${queryId} and facet = 'all' and quarter = ${new Date(at)}`.execute(database.db)
    ).rows[0]?.n;
  const sum = async (projectId: string, queryId: string) =>
    (
      await sql<{ quarters: number; days: number }>`
        select (select sum(mentions) from earshot.mention_counts where project_id = ${projectId} and query_id = ${queryId}
            and facet = 'author')::int as quarters,
          (select sum(mentions) from earshot.mention_days where project_id = ${projectId} and query_id = ${queryId}
            and facet = 'author')::int as days`.execute(database.db)
    ).rows[0];
  await mentionCounts.countStale();
  const left = await sum(P, "1");
  // More quarters than are counted at once; the last ones are like the first but for one thing.
  const quarters = Array.from({ length: 100 }, (_, n) => noon - n * QUARTER);
  await tell(P, "1", ...quarters.map((at) => at + 1));
  await tell(OTHER, "1", noon + 1);
  await tell(P, "2", noon + 1);
  await tell(P, "1", noon + QUARTER - 1, noon + QUARTER, noon - 100 * QUARTER);
  await mentionCounts.countStale();
  const counts = [count(P, "1", noon), count(OTHER, "1", noon), count(P, "2", noon)];
  expect(await Promise.all(counts)).toEqual([2, 1, 1]);
  const beside = [count(P, "1", noon + QUARTER), count(P, "1", noon - 100 * QUARTER)];
  expect(await Promise.all(beside)).toEqual([1, 1]);

  // Gone from one quarter, and from all.
  const recount = async (ids: readonly number[]) => {
    await forgotten.remove(P, "1", ids.map(String));
    const key = ["project_id", "query_id", "day", "facet"];
    return changedBy(database.db, "mention_days", key, () => mentionCounts.countStale());
  };
  const changedOn = (...days: readonly string[]) =>
    days.flatMap((day) => ["all", "author", "domain"].map((facet) => `p 1 ${day} ${facet}`));
  const own = await sum(P, "1");
  const others = await Promise.all([sum(OTHER, "1"), sum(P, "2")]);
  expect(await recount([noon + 1])).toEqual(changedOn("2026-02-20"));
  expect(await sum(P, "1")).toEqual({ quarters: (own?.quarters ?? 0) - 1, days: (own?.days ?? 0) - 1 });
  expect(await Promise.all([sum(OTHER, "1"), sum(P, "2")])).toEqual(others);
  // A name that nobody has any more goes for itself: not one of its bucket, nor the same as another facet.
  const inBucket = createHash("md5").update("ann").digest()[0];
  const [neighbour = ""] = authorsIn((bucket) => bucket === inBucket, 1, "neighbour");
  const names = [neighbour, "x.example"];
  for (const author of names)
    await store(
      P,
      aMention({ queryId: "1", resourceId: author, publishedAt: noon, author, domain: "x.example" }),
    );
  await mentionCounts.countStale();
  await forgotten.remove(P, "1", names);
  await mentionCounts.countStale();
  const { rows: days } = await sql<{ name: string }>`
    select distinct concat_ws(' ', facet, value) as name from earshot.mention_days
    where project_id = ${P} and query_id = '1' and day = '2026-02-20' order by 1`.execute(database.db);
  expect(days.map(({ name }) => name)).toEqual(["all ", "author ann", "domain x.example"]);
  const rest = [...quarters.map((at) => at + 1), noon + QUARTER - 1, noon + QUARTER, noon - 100 * QUARTER];
  expect(await recount(rest)).toEqual(changedOn("2026-02-19", "2026-02-20"));
  expect(await sum(P, "1")).toEqual({ quarters: left?.quarters, days: left?.days });
  expect(await Promise.all([sum(OTHER, "1"), sum(P, "2")])).toEqual(others);

  await tell(P, "1", noon + 1);
  // One counts at a time.
  const { waits, result } = await database.db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtextextended('earshot mention_counts', 0))`.execute(tx);
    return begun(database.db, () => mentionCounts.countStale());
  });
  await result;
  expect([waits, await count(P, "1", noon)]).toEqual([true, 1]);
});

/** Names of authors that are counted in this bucket, or any from one on. */
function authorsIn(isMeant: (bucket: number) => boolean, count: number, prefix: string): string[] {
  const names: string[] = [];
  for (let n = 0; names.length < count; n++) {
    const name = `${prefix}${n}`;
    if (isMeant(createHash("md5").update(name).digest()[0] ?? 0)) names.push(name);
  }
  return names;
}

test("of very many values a part is counted, and of the query and its days the loudest are looked at", async () => {
  const day = Math.floor(NOON / DAY) * DAY;
  const periods = { period: { from: day, to: day + 2 * DAY }, before: { from: day - 2 * DAY, to: day } };
  const put = (
    key: { projectId?: string; queryId?: string; facet?: string },
    name: string,
    days: number,
    n = 1,
  ) =>
    sql`insert into earshot.mention_days (project_id, query_id, facet, bucket, value, day, mentions, negative, neutral,
        positive, reach, reached)
      values (${key.projectId ?? P}, ${key.queryId ?? "1"}, ${key.facet ?? "author"},
        ${createHash("md5").update(name).digest()[0]}, ${name}, ${utcDay(day + days * DAY)}::date, ${n}, 0, 0, 0, 0, 0)
    `.execute(database.db);
  const [quiet = "", ...more] = authorsIn((bucket) => bucket === 0, 9, "quiet");
  const [loud = "", ...louder] = authorsIn((bucket) => bucket > 200, 22, "loud");
  const few = createMentionCountStore(database.db, 256);
  const own = [{ projectId: P, queryId: "1" }];
  const found = async () => {
    const { rows, isEstimated } = await few.byValue(own, "author", periods, 1);
    return [rows.map(({ value, mentions }) => `${value} ${mentions}`), isEstimated];
  };
  // One of the first bucket may be read; those of others are not.
  await put({}, quiet, 0);
  for (const beside of [{ projectId: OTHER }, { queryId: "2" }, { facet: "domain" }])
    for (const name of more) await put(beside, name, 0);
  await put({}, more[0] ?? "", 2);
  await put({}, more[0] ?? "", -3);
  expect(await found()).toEqual([[`${quiet} 1`], false]);

  // Two are more than are read: the one that is loud is found among all, though others are louder elsewhere.
  await put({}, more[1] ?? "", 0);
  await put({}, loud, 1, 5);
  for (const name of louder) {
    for (const beside of [{ projectId: OTHER }, { queryId: "2" }, { facet: "domain" }])
      await put(beside, name, 1, 9);
    await put({}, name, 2, 9);
    await put({}, name, -1, 9);
  }
  expect(await found()).toEqual([[`${loud} 5`], true]);
  // Those that are counted in one bucket are told apart, by day and by quarter.
  const [one = "", another = ""] = authorsIn((bucket) => bucket === 7, 2, "same");
  await put({}, one, 0, 3);
  await put({}, another, 0, 4);
  for (const [name, n] of [
    [one, 1],
    [another, 2],
  ] as const)
    await sql`insert into earshot.mention_counts (project_id, query_id, facet, quarter, bucket, value, mentions, negative,
        neutral, positive)
      values (${P}, '1', 'author', ${new Date(day + 2 * DAY)}, 7, ${name}, ${n}, 0, 0, 0)`.execute(
      database.db,
    );
  const moments = [day, day + 2 * DAY + HOUR];
  expect((await few.bySteps(own, ["author", one], moments)).map(({ mentions }) => mentions)).toEqual([4]);
});
