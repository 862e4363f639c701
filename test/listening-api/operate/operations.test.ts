import { Pool } from "pg";
import { Agent, request } from "undici";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../../src/lib/clock.ts";
import { DAY } from "../../../src/lib/instant.ts";
import { createLocalApi } from "../../../src/listening-api/create-local-api.ts";
import { createOperations } from "../../../src/listening-api/operate/create-operations.ts";
import { dropOldMentions, KEEP_MENTIONS_FOR } from "../../../src/listening-api/operate/keep-mentions.ts";
import { createMeter } from "../../../src/listening-api/operate/meter.ts";
import { createDatabase } from "../../../src/listening-api/store/database.ts";
import { insertMentions } from "../../../src/listening-api/store/insert-mentions.ts";
import { putSetting } from "../../../src/listening-api/store/settings.ts";
import { CERTIFICATE, CERTIFICATE_KEY } from "../../fakes/certificate.ts";
import { type Fixture, get, logIn, mentionVersion, resourceId, SEED, startFixture, T0 } from "../fixture.ts";

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.stop());

const log = { info() {}, warn() {}, error() {} };

test("health and metrics have a port of their own, and no values of requests", async () => {
  const { connectionString } = fixture.database.pool.options;
  const pool = new Pool({ connectionString, max: 2 });
  pool.on("error", () => {});
  const meter = createMeter(pool);
  const api = createLocalApi({ pool, clock: systemClock, log, signingSecret: "for tests", meter });
  const operations = createOperations({ pool, clock: systemClock, meter });
  try {
    const url = await operations.listen({ host: "127.0.0.1", port: 0 });
    const token = String((await logIn(api, SEED.user)).body.access_token);
    const { projectId } = fixture.account;
    expect((await get(api, `/projects/${projectId}`, [], token)).status).toBe(200);
    expect((await get(api, `/projects/1`, [["access_token", "secret-of-ann"]])).status).toBe(401);
    const [health, ready, metrics] = await Promise.all(
      ["healthz", "readyz", "metrics"].map((path) => fetch(`${url}/${path}`)),
    );
    expect([health?.status, ready?.status]).toEqual([200, 200]);
    const text = (await metrics?.text()) ?? "";
    const of = 'method="GET",call="/projects/:projectId"';
    expect(text).toContain(`earshot_local_api_answers_total{${of},status="200"} 1`);
    expect(text).toContain(`earshot_local_api_answers_total{${of},status="401"} 1`);
    expect(text).toContain(`earshot_local_api_answer_seconds_count{${of}} 2`);
    expect(text).toMatch(/earshot_local_api_database_connections\{state="open"\} [12]/);
    for (const secret of [token, "secret-of-ann", String(projectId)]) expect(text).not.toContain(secret);
    await pool.end();
    // What was found ready is believed for a second.
    const until = Date.now() + 10_000;
    let status = 200;
    while (status === 200 && Date.now() < until) status = (await fetch(`${url}/readyz`)).status;
    expect(status).toBe(503);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  } finally {
    await Promise.all([api.close(), operations.close()]);
    if (!pool.ended) await pool.end();
  }
});

test("with a key and a certificate it speaks HTTPS, and nothing else", async () => {
  const api = createLocalApi({
    ...{ pool: fixture.database.pool, clock: systemClock, log, signingSecret: "for tests" },
    tls: { key: CERTIFICATE_KEY, cert: CERTIFICATE },
  });
  const dispatcher = new Agent({ connect: { ca: CERTIFICATE, servername: "mail.brand.example" } });
  try {
    const url = await api.listen({ host: "127.0.0.1", port: 0 });
    expect(url).toMatch(/^https:/);
    const { statusCode, body } = await request(`${url}/me`, { dispatcher });
    expect([statusCode, await body.json()]).toMatchObject([401, { error: "unauthorized" }]);
    await expect(fetch(url.replace("https", "http"))).rejects.toThrow();
  } finally {
    await dispatcher.close();
    await api.close();
  }
});

test("the months that ended longer ago than mentions are kept are dropped, and no others", async () => {
  const db = createDatabase(fixture.database.pool);
  const queryId = fixture.account.queries.get("Alpha") ?? 0;
  const dates = [T0 - 200 * DAY, T0 - 100 * DAY, T0];
  await insertMentions(
    db,
    dates.map((date, n) => mentionVersion({ queryId, resourceId: resourceId(n) }, { added: T0, date })),
  );
  const count = async () => {
    const { rows } = await fixture.database.pool.query(
      "select count(*)::integer as n from local_api.mention",
    );
    return rows[0]?.n;
  };
  expect(await dropOldMentions(db, T0)).toEqual([]);
  expect(await count()).toBe(3);
  await putSetting(db, KEEP_MENTIONS_FOR, "150d");
  expect(await dropOldMentions(db, T0)).toEqual(["mention_2025_08"]);
  expect(await count()).toBe(2);
  expect(await dropOldMentions(db, T0)).toEqual([]);
});
