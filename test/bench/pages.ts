import { fork } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { wireMention } from "./wire-mention.ts";

export interface PageServer {
  readonly baseUrl: string;
  readonly queryId: string;
  readonly projectId: string;
  readonly mentions: number;
  close(): Promise<void>;
}

export interface PageServerOptions {
  /** How many full pages there are. */
  readonly pages: number;
  readonly pageSize?: number;
  /** Pages are made when they are asked for. Without it they are made beforehand and kept: 16 MB each at 5,000 mentions. */
  readonly isLazy?: boolean;
}

const PROJECT_ID = "1998000001";
const QUERY_ID = "2000000001";
const FIRST_ADDED = Date.UTC(2026, 10, 1);

/**
 * Serves full pages of mentions over HTTP, from buffers made beforehand unless it is lazy, with a token endpoint and cursor paging, so
 * that a bench measures its reader and not the making of pages. It runs in a process of its own: a server on the
 * same event loop would bill its work to the reader.
 */
export async function startPageServer(options: PageServerOptions): Promise<PageServer> {
  const pageSize = options.pageSize ?? 5_000;
  const child = fork(
    fileURLToPath(import.meta.url),
    [String(options.pages), String(pageSize), options.isLazy === true ? "lazy" : "kept"],
    {
      execArgv: process.execArgv,
    },
  );
  const baseUrl = await new Promise<string>((resolve, reject) => {
    child.once("message", (address) => resolve(String(address)));
    child.once("exit", (code) => reject(new Error(`the page server ended with ${code}`)));
  });
  return {
    baseUrl,
    queryId: QUERY_ID,
    projectId: PROJECT_ID,
    mentions: options.pages * pageSize,
    close: () =>
      new Promise((resolve) => {
        child.once("exit", () => resolve());
        child.disconnect();
      }),
  };
}

function serve(pageAt: (index: number) => Buffer | undefined): Promise<string> {
  const token = Buffer.from(
    JSON.stringify({
      access_token: "bench",
      token_type: "bearer",
      expires_in: 3_600,
      scope: "read trust write",
    }),
  );
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://bench");
    const body =
      url.pathname === "/oauth/token" ? token : pageAt(Number(url.searchParams.get("cursor") ?? "0"));
    request.resume();
    response.writeHead(body === undefined ? 404 : 200, {
      "content-type": "application/json;charset=UTF-8",
      "content-length": body?.length ?? 0,
      "x-rate-limit": "1000000/10m",
      "x-rate-limit-used": "1",
    });
    response.end(body);
  });
  process.once("disconnect", () => process.exit(0));
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    });
  });
}

function makePage(page: number, count: number, pageSize: number): Buffer {
  const results = Array.from({ length: pageSize }, (_, at) =>
    wireMention(page * pageSize + at, { queryId: Number(QUERY_ID), startAt: FIRST_ADDED }),
  );
  return Buffer.from(
    JSON.stringify({
      resultsTotal: count * pageSize,
      scaledResultsTotal: count * pageSize,
      resultsPage: page === 0 ? 0 : 1,
      resultsPageSize: pageSize,
      results,
      startDate: "2026-01-01T00:00:00.000+0000",
      endDate: "2027-01-01T00:00:00.000+0000",
      nextCursor: page + 1 < count ? String(page + 1) : null,
    }),
  );
}

if (process.send !== undefined && process.argv[1] === fileURLToPath(import.meta.url)) {
  const [pages, pageSize] = process.argv.slice(2, 4).map(Number);
  const [count, size] = [pages ?? 1, pageSize ?? 5_000];
  const pageAt = (page: number) => (page < count ? makePage(page, count, size) : undefined);
  const kept = process.argv[4] === "lazy" ? null : Array.from({ length: count }, (_, page) => pageAt(page));
  process.send(await serve(kept === null ? pageAt : (page) => kept[page]));
}
