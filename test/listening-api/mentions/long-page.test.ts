import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import { DAY } from "../../../src/lib/instant.ts";
import { createDatabase } from "../../../src/listening-api/store/database.ts";
import { insertMentions } from "../../../src/listening-api/store/insert-mentions.ts";
import { type Fixture, mentionVersion, resourceId, startFixture, T0 } from "../fixture.ts";

const MENTIONS = 2_300;

let fixture: Fixture;
let queryId = 0;
beforeAll(async () => {
  fixture = await startFixture();
  fixture.clock.set(T0 + DAY);
  queryId = fixture.account.queries.get("Alpha") ?? 0;
  const versions = Array.from({ length: MENTIONS }, (_, n) =>
    mentionVersion({ queryId, resourceId: resourceId(n), snippet: `“${n}”` }, { added: T0 + n }),
  );
  await insertMentions(createDatabase(fixture.database.pool), versions);
});
afterAll(() => fixture.stop());

it("a page that is sent while it is read is whole, in order, packed or not", async () => {
  const url = `/projects/${fixture.account.projectId}/data/mentions?queryId=${queryId}&startDate=2026-03-01&endDate=2026-04-01&pageSize=5000&orderBy=added&orderDirection=asc`;
  const ask = (encoding: string) =>
    fixture.api.app.inject({
      method: "GET",
      url,
      headers: { authorization: `bearer ${fixture.token}`, "accept-encoding": encoding },
    });
  const [plain, packed] = [await ask("identity"), await ask("gzip")];
  const body = JSON.parse(plain.body);
  expect(body.resultsTotal).toBe(MENTIONS);
  expect(body.results.map((mention: { snippet: string }) => mention.snippet)).toEqual(
    Array.from({ length: MENTIONS }, (_, n) => `“${n}”`),
  );
  expect(packed.headers["content-encoding"]).toBe("gzip");
  expect(gunzipSync(packed.rawPayload).toString()).toBe(plain.body);
});
