import { afterAll, expect, test } from "vitest";
import { HOUR } from "../../src/lib/instant.ts";
import { createDatabase } from "../../src/listening-api/store/database.ts";
import { insertMentions } from "../../src/listening-api/store/insert-mentions.ts";
import { mentionVersion, resourceId, startFixture, T0 } from "./fixture.ts";
import { send } from "./send.ts";

const fixture = await startFixture();
afterAll(() => fixture.stop());
const project = `/projects/${fixture.account.projectId}`;
const [queryId = 0, other = 0] = fixture.account.queries.values();
const STORED = 400;

const sample = (samplePercentage: number) =>
  send(fixture.api, {
    method: "PATCH",
    url: `${project}/queries/${queryId}`,
    headers: { authorization: `bearer ${fixture.token}`, "content-type": "application/json" },
    payload: JSON.stringify({ samplePercentage }),
  });

/** The totals and the chart of the query, on a page of so many mentions. */
async function volumes(pageSize: number, ...more: readonly number[]) {
  const range = [
    ...[queryId, ...more].map((id) => ["queryId", id] as const),
    ["startDate", "2026-03-01"] as const,
    ["endDate", "2026-04-01"] as const,
  ];
  const { body: page } = await fixture.get(`${project}/data/mentions`, [...range, ["pageSize", pageSize]]);
  const { body: chart } = await fixture.get(`${project}/data/volume/queries/months`, range);
  return [page.resultsTotal, page.scaledResultsTotal, chart.results[0].values[0].value];
}

test("mentions from before a query was sampled count once, however few it keeps from now on", async () => {
  const versions = Array.from({ length: STORED }, (_, n) =>
    mentionVersion({ queryId, resourceId: resourceId(n) }, { added: T0 - HOUR }),
  );
  const one = mentionVersion({ queryId: other, resourceId: resourceId(0) }, { added: T0 - HOUR });
  await insertMentions(createDatabase(fixture.database.pool), [...versions, one]);
  expect(await volumes(10)).toEqual([STORED, STORED, STORED]);
  await sample(10);
  for (const pageSize of [10, 5_000]) {
    const [total, scaled, charted] = await volumes(pageSize);
    expect(total).toBe(STORED);
    expect(scaled).toBeGreaterThan(STORED / 2);
    expect(scaled).toBeLessThan(STORED * 1.5);
    expect(charted).toBe(scaled);
    expect(await volumes(pageSize, other)).toEqual([STORED + 1, scaled + 1, charted]);
  }
});
