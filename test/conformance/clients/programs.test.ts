import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HOUR } from "../../../src/lib/instant.ts";
import { createDatabase } from "../../../src/listening-api/store/database.ts";
import { insertMentions } from "../../../src/listening-api/store/insert-mentions.ts";
import {
  type Fixture,
  mentionVersion,
  resourceId,
  SEED,
  startFixture,
  T0,
} from "../../listening-api/fixture.ts";
import { send } from "../../listening-api/send.ts";
import { PROGRAMS } from "./programs.ts";

let fixture: Fixture;
let known: Readonly<Record<string, string | number>>;
beforeAll(async () => {
  fixture = await startFixture(SEED, { strict: false });
  const queryId = fixture.account.queries.get("Alpha") ?? 0;
  const project = `/projects/${fixture.account.projectId}`;
  const versions = Array.from({ length: 45 }, (_, n) =>
    mentionVersion(
      { queryId, resourceId: resourceId(n), snippet: `post ${n} #tag`, pageType: "twitter" },
      { added: T0 - n * HOUR },
    ),
  );
  await insertMentions(createDatabase(fixture.database.pool), versions);
  const group = await ask("POST", `${project}/querygroups`, { name: "All", queries: [queryId] });
  const range = `queryId=${queryId}&startDate=2026-03-01&endDate=2026-03-05`;
  known = { project, query: queryId, group: group.body.id, mention: resourceId(0), range };
});
afterAll(() => fixture.stop());

function ask(method: "GET" | "POST", url: string, body?: object) {
  const headers = { authorization: `Bearer ${fixture.token}`, "content-type": "application/json" };
  return send(fixture.api, { method, url, headers, ...(body && { payload: JSON.stringify(body) }) });
}

describe.each(Object.entries(PROGRAMS))("%s", (_, requests) => {
  test("finds an answer to every request that can have one", async () => {
    const wrong: object[] = [];
    for (const request of requests) {
      const [path, notServed] = typeof request === "string" ? [request, undefined] : request;
      const url = path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => String(known[name]));
      const { status, body } = await ask("GET", url);
      const isRight = status === (notServed === undefined ? 200 : 404) && typeof body === "object";
      if (!isRight) wrong.push({ url, status, body });
    }
    expect(wrong).toEqual([]);
  });

  test("reads all pages of every list", async () => {
    for (const request of requests) {
      if (typeof request !== "string" || !/data\/mentions(\.json|\/fulltext)?\?/.test(request)) continue;
      const url = request.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => String(known[name]));
      let pages = 0;
      let shown = 0;
      for (let cursor: string | undefined = ""; cursor !== undefined && pages < 10; pages++) {
        const { body }: { body: { results: object[]; nextCursor?: string } } = await ask(
          "GET",
          cursor === "" ? url : `${url.replace(/&page=\d+/, "")}&cursor=${encodeURIComponent(cursor)}`,
        );
        shown += body.results.length;
        cursor = body.nextCursor;
      }
      expect({ url, shown, ends: pages < 10 }).toEqual({ url, shown: 45, ends: true });
    }
  });
});
