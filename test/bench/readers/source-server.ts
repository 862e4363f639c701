import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { formatWireInstant } from "../../../src/monitor/source/wire-values.ts";
import { wireMention } from "../wire-mention.ts";

/**
 * A Listening API that always has another page: a poll goes on as fast as the pipeline takes it; or one to which so many
 * mentions a minute come. A process of its own.
 * Mentions are of yesterday, so that they are stored and counted, and open no alerts.
 */
const PROJECT_ID = 1998000001;
const QUERY_ID = 2000000001;
const startAt = Number(process.argv[2]);
const perMinute = Number(process.argv[3] ?? 0);
const begunAt = performance.now();
/** Besides those of each minute. */
let more = 0;
let endedAt: number | null = null;

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://bench");
  const body = JSON.stringify(answerTo(pathname, searchParams));
  request.resume();
  response.writeHead(200, {
    "content-type": "application/json;charset=UTF-8",
    "content-length": Buffer.byteLength(body),
    "x-rate-limit": "1000000/10m",
    "x-rate-limit-used": "1",
  });
  response.end(body);
});

let page = 0;
let given = 0;

/** Two days have room for three million, and a quarter of an hour has 18,000. */
const momentOf = (at: number): number => startAt + 50 * at;

function answerTo(path: string, asked: URLSearchParams): object {
  if (path.endsWith("/oauth/token"))
    return { access_token: "bench", token_type: "bearer", expires_in: 30_000, scope: "read trust write" };
  if (path.endsWith("/queries") || path.endsWith("/queries/summary"))
    return { results: [{ id: QUERY_ID, name: "Bench", type: "search string" }] };
  if (path.endsWith("/projects") || path.endsWith("/projects/summary"))
    return { results: [{ id: PROJECT_ID, name: "Bench", timezone: "UTC" }] };
  if (!path.endsWith("/mentions")) return { id: 1, name: "Bench", tags: {}, mentionsCount: page };
  const size = Number(asked.get("pageSize") ?? 500);
  const due =
    perMinute === 0
      ? size
      : more + Math.floor(((endedAt ?? performance.now()) - begunAt) * (perMinute / 60_000)) - given;
  const [first, length] = [given, Math.min(size, due)];
  page++;
  given += length;
  const results = Array.from({ length }, (_, at) => ({
    ...wireMention(first + at, { queryId: QUERY_ID, startAt: 0 }),
    added: formatWireInstant(momentOf(first + at)),
    date: formatWireInstant(momentOf(first + at)),
    updated: formatWireInstant(momentOf(first + at)),
  }));
  return {
    resultsTotal: first + 2 * size,
    resultsPage: first === 0 ? 0 : 1,
    resultsPageSize: size,
    results,
    ...(length === size && { nextCursor: String(page) }),
  };
}

process.on("message", (message: { more: number } | "end") => {
  if (message === "end") endedAt = performance.now();
  else more = message.more;
});
process.once("disconnect", () => process.exit(0));
server.listen(0, "127.0.0.1", () =>
  process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
);
