import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { DAY, HOUR, type Instant } from "../../../src/lib/instant.ts";
import { createDatabase, type Database } from "../../../src/listening-api/store/database.ts";
import {
  askedHash,
  type EnrichmentJob,
  finishEnrichment,
  leaseEnrichment,
  postponeEnrichment,
  pruneEnrichment,
  putAbout,
  putAnswers,
  queueEnrichment,
  queueUnjudged,
  readAnswers,
  stillLeased,
} from "../../../src/listening-api/store/enrichment.ts";
import { insertMentions } from "../../../src/listening-api/store/insert-mentions.ts";
import { type Fixture, mentionVersion, resourceId, startFixture } from "../fixture.ts";
import { untilWaiting } from "./until-waiting.ts";

let fixture: Fixture;
let db: Database;
let [alpha, beta] = [0, 0];
beforeAll(async () => {
  fixture = await startFixture();
  db = createDatabase(fixture.database.pool);
  [alpha = 0, beta = 0] = fixture.account.queries.values();
});
afterAll(() => fixture.stop());
beforeEach(() => fixture.database.pool.query("truncate local_api.enrichment_job, local_api.query_about"));

const key = (number: number, queryId = alpha) => ({ queryId, resourceId: resourceId(number) });
const lease = (kind: "sentiment" | "relevance", most = 10) =>
  leaseEnrichment(db, kind, { most, leaseMs: HOUR });

it("a worker has due mentions of its kind, until it finishes them or its lease ends", async () => {
  for (const kind of ["sentiment", "relevance"] as const) await queueEnrichment(db, kind, [key(1)]);
  await queueEnrichment(db, "sentiment", [key(1, beta), key(2)]);
  const first = await lease("sentiment", 1);
  const others = await lease("sentiment");
  expect([first.jobs.length, others.jobs.length, (await lease("sentiment")).jobs.length]).toEqual([1, 2, 0]);
  expect((await lease("relevance")).jobs).toMatchObject([{ ...key(1), kind: "relevance" }]);
  // Queued again: its text has changed, and who had the old one neither ends nor delays it.
  await queueEnrichment(db, "sentiment", first.jobs);
  await finishEnrichment(db, first.lease, first.jobs);
  await postponeEnrichment(db, first.lease, first.jobs, { delayMs: HOUR, isCounted: true });
  await finishEnrichment(db, others.lease, others.jobs.slice(1));
  await postponeEnrichment(db, others.lease, others.jobs, { delayMs: 0, isCounted: true });
  const left = (await lease("sentiment")).jobs.map(({ attempts, ...job }) => [job, attempts]);
  expect(left).toHaveLength(2);
  const keyOf = ({ queryId, resourceId }: { queryId: number; resourceId: string }) => ({
    queryId,
    resourceId,
  });
  for (const [jobs, attempts] of [[first.jobs, 0] as const, [others.jobs.slice(0, 1), 1] as const])
    for (const job of jobs) expect(left).toContainEqual([{ ...keyOf(job), kind: "sentiment" }, attempts]);
});

it.each([
  [
    "postpones",
    (own: string, jobs: readonly EnrichmentJob[]) =>
      postponeEnrichment(db, own, jobs, { delayMs: 0, isCounted: true }),
  ],
  ["finishes", (own: string, jobs: readonly EnrichmentJob[]) => finishEnrichment(db, own, jobs)],
] as const)("who queues mentions anew and who %s them never wait for each other", async (_, end) => {
  const first = key(1);
  const others = [2, 3, 4, 5, 6, 7, 8, 9].map((number) => key(number));
  for (const one of [...others.toReversed(), first]) await queueEnrichment(db, "sentiment", [one]);
  const { lease: own, jobs } = await lease("sentiment");
  const inTheirOrder = jobs.toSorted((a, b) => (a.resourceId < b.resourceId ? 1 : -1));
  let ended: Promise<void> | undefined;
  await db.transaction().execute(async (transaction) => {
    await queueEnrichment(transaction, "sentiment", [first]);
    ended = end(own, inTheirOrder);
    ended.catch(() => {});
    await untilWaiting(fixture.database.pool, 1);
    await queueEnrichment(transaction, "sentiment", others);
  });
  await expect(ended).resolves.toBeUndefined();
  // Queued anew, they are the old worker's no more.
  expect((await lease("sentiment")).jobs).toHaveLength(9);
});

it("who stores answers keeps its mentions until its commit, though its lease has ended; nobody waits", async () => {
  await queueEnrichment(db, "sentiment", [key(1), key(2)]);
  const { lease: own, jobs } = await leaseEnrichment(db, "sentiment", { most: 1, leaseMs: 0 });
  await db.transaction().execute(async (transaction) => {
    expect(await stillLeased(transaction, own, jobs)).toEqual(jobs);
    const another = db.transaction().execute(async (other) => {
      await sql`set local lock_timeout = 2000`.execute(other);
      return leaseEnrichment(other, "sentiment", { most: 10, leaseMs: HOUR });
    });
    const taken = await another.catch(String);
    expect(taken).toMatchObject({ jobs: [key(jobs[0]?.resourceId === resourceId(1) ? 2 : 1)] });
    await finishEnrichment(transaction, own, jobs);
  });
  expect((await lease("sentiment")).jobs).toEqual([]);
});

it("answers are those of one analyser, to one text, the latest", async () => {
  const [asked, other] = [Buffer.from("asked"), Buffer.from("other")];
  for (const answer of ["old", "new"]) await putAnswers(db, asked, new Map([["text", answer]]));
  await putAnswers(db, other, new Map([["text", "of the other"]]));
  await putAnswers(db, asked, new Map([["another text", "x"]]));
  expect(await readAnswers(db, asked, ["text", "nobody's"])).toEqual(new Map([["text", "new"]]));
});

it("answers and counts of calls are kept for so many days, in UTC", async () => {
  const calls = async () =>
    (
      await sql<{ analyser: string }>`
    select analyser from local_api.enrichment_calls order by 1`.execute(db)
    ).rows.map((row) => row.analyser);
  await putAnswers(
    db,
    askedHash("model"),
    new Map([
      ["old", 1],
      ["new", 2],
    ]),
  );
  await sql`update local_api.enrichment_answer set at = now() - case when answer = '1' then interval '49 hours' else interval '47 hours' end`.execute(
    db,
  );
  await sql`
    insert into local_api.enrichment_calls (day, analyser, calls)
    select (now() at time zone 'UTC')::date - n, n, 1 from generate_series(1, 4) n`.execute(db);
  for (const zone of ["Pacific/Kiritimati", "Etc/GMT+12"])
    await db.transaction().execute(async (own) => {
      await sql`select set_config('timezone', ${zone}, true)`.execute(own);
      await pruneEnrichment(own, 2);
    });
  expect(await calls()).toEqual(["1", "2"]);
  expect(await readAnswers(db, askedHash("model"), ["old", "new"])).toEqual(new Map([["new", 2]]));
});

it("what a query means is new only where it says something else", async () => {
  expect(await putAbout(db, alpha, "milk")).toBe(true);
  expect(await putAbout(db, alpha, "milk")).toBe(false);
  expect(await putAbout(db, alpha, "cream")).toBe(true);
  expect([await putAbout(db, alpha, null), await putAbout(db, alpha, null)]).toEqual([true, false]);
});

it("mentions of late that nobody judged wait for it, as they are shown", async () => {
  const { rows } = await sql<{ now: Date }>`select now() as now`.execute(db);
  const now: Instant = rows[0]?.now.getTime() ?? 0;
  const version = (
    number: number,
    fields: Partial<Parameters<typeof mentionVersion>[0]> = {},
    times: Partial<Parameters<typeof mentionVersion>[1]> = {},
  ) => mentionVersion({ ...key(number), ...fields }, { added: now - HOUR, ...times });
  await insertMentions(db, [
    version(1),
    version(2, { queryId: beta }),
    version(3, {}, { added: now - 8 * DAY }),
    version(4, {}, { visibleAt: now + HOUR }),
    version(5, { resourceType: "deleted" }),
    version(6, { classifications: [{ classifierId: "sentiment", labelId: "negative" }] }),
    version(7, { sentiment: "negative" }),
    version(8, {}, { supersededAt: now - 1 }),
  ]);
  const queued = async (kind: "sentiment" | "relevance", again = false) => {
    await queueUnjudged(db, kind, [alpha], { most: 10, days: 7, again });
    const { jobs } = await lease(kind);
    return jobs.map((job) => Number(`0x${job.resourceId}`)).sort();
  };
  expect(await queued("sentiment")).toEqual([1]);
  // They wait already, under a lease.
  expect(await queued("sentiment", true)).toEqual([6]);
  expect(await queued("relevance")).toEqual([1, 6, 7]);
});
