import { afterAll, beforeAll, expect, test } from "vitest";
import { DAY, SECOND } from "../../../src/lib/instant.ts";
import { wireTime } from "../../../src/listening-api/records/wire.ts";
import { createDatabase } from "../../../src/listening-api/store/database.ts";
import { insertMentions } from "../../../src/listening-api/store/insert-mentions.ts";
import { type Fixture, mentionVersion, resourceId, startFixture, T0 } from "../fixture.ts";

/** More mentions than a word cloud counts one by one. The early third speaks of something else than the rest. */
const MENTIONS = 30_000;
const EARLY = MENTIONS / 3;
const SPAN = MENTIONS * 10 * SECOND;

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
  const [alpha = 0] = fixture.account.queries.values();
  const texts = ["a kettle without water", "the battery is empty"];
  const versions = texts.map((snippet, n) =>
    mentionVersion(
      { queryId: alpha, resourceId: resourceId(n), snippet, sentiment: "negative" },
      { added: T0 },
    ),
  );
  await insertMentions(createDatabase(fixture.database.pool), versions);
  const { rows } = await fixture.database.pool.query(`
    select column_name as name from information_schema.columns
    where table_schema = 'local_api' and table_name = 'mention'`);
  const made: Record<string, string> = { date: "at", added: "at", updated: "at", visible_at: "at" };
  made["resource_id"] = "md5(n::text)";
  made["id"] = "n";
  const names = rows.map((row: { name: string }) => row.name);
  await fixture.database.pool.query(
    `insert into local_api.mention (${names.join(", ")})
     select ${names.map((name: string) => made[name] ?? `given.${name}`).join(", ")}
     from generate_series(3, $1::integer) as n, lateral (select $2::timestamptz + n * interval '10 seconds' as at) as moment
       join local_api.mention given on true
     where given.resource_id = case when n <= $3 then $4 else $5 end`,
    [MENTIONS, new Date(T0), EARLY, resourceId(0), resourceId(1)],
  );
  fixture.clock.set(T0 + SPAN + DAY);
});
afterAll(() => fixture.stop());

function cloud(path: string, parameters: readonly (readonly [string, string | number])[] = []) {
  const [alpha = 0] = fixture.account.queries.values();
  return fixture.get(`/projects/${fixture.account.projectId}/data/${path}`, [
    ["queryId", alpha],
    ["startDate", wireTime(T0 - DAY)],
    ["endDate", wireTime(T0 + SPAN + DAY)],
    ...parameters,
  ]);
}

test("a word cloud of many mentions counts a random part of all of them, and says how far it may be off", async () => {
  const { body, headers } = await cloud("volume/topics/queries");
  const said = /^(\d+) of (\d+) mentions; margin ([\d.]+) percent$/.exec(String(headers["x-earshot-sample"]));
  const [counted = 0, mentions, margin = 0] = (said ?? []).slice(1).map(Number);
  expect(mentions).toBe(MENTIONS);
  expect(counted).toBeGreaterThan(5_000);
  expect(margin).toBeLessThan(1.3);
  const volumes = new Map<string, number>(
    body.topics.map(({ id, volume }: { id: string; volume: number }) => [id, volume]),
  );
  // Two margins: the same mentions are picked on every machine.
  const allowed = (MENTIONS * 2 * margin) / 100;
  expect(Math.abs((volumes.get("battery is empty") ?? 0) - (MENTIONS - EARLY))).toBeLessThan(allowed);
  expect(Math.abs((volumes.get("kettle without water") ?? 0) - EARLY)).toBeLessThan(allowed);
  expect((await cloud("volume/topics/queries")).body).toEqual(body);
  const [first] = body.topics;
  expect(first.sentiment.negative).toBe(first.volume);
});

test("what a filter leaves is counted one by one where it is few enough", async () => {
  const late: [string, string] = ["startDate", wireTime(T0 + SPAN - 5_000 * 10 * SECOND)];
  const [alpha = 0] = fixture.account.queries.values();
  const { body, headers } = await fixture.get(`/projects/${fixture.account.projectId}/data/topics`, [
    ["queryId", alpha],
    late,
    ["endDate", wireTime(T0 + SPAN + DAY)],
  ]);
  expect(headers["x-earshot-sample"]).toBeUndefined();
  const battery = body.topics.find(({ label }: { label: string }) => label === "battery is empty");
  expect(battery?.volume).toBeGreaterThanOrEqual(5_000);
  expect(battery?.percentageVolume).toBe(100);
});
