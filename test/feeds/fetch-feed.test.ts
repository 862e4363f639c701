import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import type { FeedRequest } from "../../src/feeds/common/define-feed.ts";
import { createFetchFeed } from "../../src/feeds/run/fetch-feed.ts";
import { textOfBytes } from "../../src/feeds/run/text-of-bytes.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { type FeedServer, startFeedServer } from "../fakes/feed-server.ts";

const server: FeedServer = await startFeedServer();
const fetcher = createFetchFeed({
  userAgent: "Earshot/test (contact: test@earshot.example)",
  clock: systemClock,
  maxBytes: 1_000_000,
  timeoutMs: 2_000,
});
afterAll(async () => {
  await fetcher.close();
  await server.close();
});
beforeEach(() => {
  server.pages.clear();
  server.requests.length = 0;
});

const { signal } = new AbortController();
function get(
  path: string,
  more: Partial<FeedRequest> & { validators?: { etag?: string }; isPublic?: boolean } = {},
) {
  const { validators, isPublic = false, ...wanted } = more;
  const how = { allowPrivateAddress: !isPublic, signal, ...(validators === undefined ? {} : { validators }) };
  return fetcher.fetch({ url: `${server.url}${path}`, ...wanted }, how);
}

async function textAt(path: string): Promise<string> {
  const { bytes, header } = await get(path);
  return textOfBytes(Buffer.from(bytes), header("content-type"));
}

test("it says who asks, and asks conditionally", async () => {
  server.pages.set("/a", { status: 304 });
  const answer = await get("/a", { validators: { etag: '"7"' } });
  expect(answer).toMatchObject({ status: 304, bytes: { length: 0 } });
  expect(server.requests[0]?.headers).toMatchObject({
    "user-agent": "Earshot/test (contact: test@earshot.example)",
    "if-none-match": '"7"',
  });
});

test.each([
  ["gzip", gzipSync("<rss>ü</rss>"), "gzip"],
  ["brotli", brotliCompressSync("<rss>ü</rss>"), "br"],
])("a compressed answer (%s) is read", async (_name, body, encoding) => {
  server.pages.set("/a", { body, headers: { "content-encoding": encoding } });
  expect(await textAt("/a")).toBe("<rss>ü</rss>");
});

test.each([
  [
    "UTF-8 that is announced as Latin-1",
    "text/xml; charset=iso-8859-1",
    Buffer.from("<a>Zürich – 東京</a>"),
    "<a>Zürich – 東京</a>",
  ],
  [
    "Latin-1 that is announced as UTF-8",
    "text/xml; charset=utf-8",
    Buffer.from("<a>Zürich</a>", "latin1"),
    "<a>Zürich</a>",
  ],
  [
    "Windows-1251 that only the document names",
    "text/xml",
    Buffer.concat([
      Buffer.from('<?xml version="1.0" encoding="windows-1251"?>'),
      Buffer.from([0xcf, 0xf0, 0xe8]),
    ]),
    '<?xml version="1.0" encoding="windows-1251"?>При',
  ],
  ["Shift_JIS in the header", "text/xml; charset=Shift_JIS", Buffer.from([0x93, 0x8c, 0x8b, 0x9e]), "東京"],
  [
    "UTF-16 with a mark",
    "text/xml",
    Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("<a>é</a>", "utf16le")]),
    "<a>é</a>",
  ],
  [
    "a charset that there is not",
    "text/xml; charset=nonsense",
    Buffer.from("<a>\x93q\x94</a>", "latin1"),
    "<a>“q”</a>",
  ],
  [
    "UTF-8 cut inside a character",
    "text/xml; charset=utf-8",
    Buffer.from("<a>Zü").subarray(0, 5),
    "<a>Z\ufffd",
  ],
])("the charset: %s", async (_name, type, body, text) => {
  server.pages.set("/a", { body, headers: { "content-type": type } });
  expect(await textAt("/a")).toBe(text);
});

describe("what a server may do wrong", () => {
  test("redirects without end", async () => {
    server.pages.set("/a", { status: 302, headers: { location: "/a" } });
    await expect(get("/a")).rejects.toThrow("it redirects more than 5 times");
    expect(server.requests).toHaveLength(6);
  });

  test("a redirect to a file, or to nothing", async () => {
    server.pages.set("/a", { status: 301, headers: { location: "file:///etc/passwd" } });
    server.pages.set("/b", { status: 301, headers: { location: "http://" } });
    await expect(get("/a")).rejects.toThrow("it leads to file:, which is not fetched");
    await expect(get("/b")).rejects.toThrow("it redirects to something that is no address");
  });

  test("a private address, by number and by name", async () => {
    server.pages.set("/a", { body: "secret" });
    await expect(get("/a", { isPublic: true })).rejects.toThrow("in a private network; allowPrivateAddress");
    const named = { url: server.url.replace("127.0.0.1", "localhost") };
    await expect(get("/a", { isPublic: true, ...named })).rejects.toThrow("in a private network");
    expect(server.requests).toHaveLength(0);
  });

  test("50 MB, announced, streamed, or packed into a few kilobytes", async () => {
    const large = Buffer.alloc(50_000_000, 0x20);
    server.pages.set("/announced", { body: large, headers: { "content-length": "50000000" } });
    server.pages.set("/streamed", { body: large });
    server.pages.set("/packed", { body: gzipSync(large), headers: { "content-encoding": "gzip" } });
    for (const path of ["/announced", "/streamed", "/packed"])
      await expect(get(path)).rejects.toThrow("its answer is larger than 1 MB");
  });

  test("an answer that breaks off, plain or compressed", async () => {
    const body = Buffer.from("<rss>".repeat(1_000));
    server.pages.set("/plain", { body, breakAfter: 100 });
    server.pages.set("/packed", {
      body: gzipSync(body).subarray(0, 20),
      headers: { "content-encoding": "gzip" },
    });
    await expect(get("/plain")).rejects.toThrow("the connection broke off");
    await expect(get("/packed")).rejects.toThrow("its compressed answer breaks off or is damaged");
  });

  test("a connection that is closed as it is used again, once or always", async () => {
    let closed = 0;
    server.pages.set("/a", (_request, response) => {
      if (closed++ === 0) response.destroy();
      else response.end("<rss>");
    });
    server.pages.set("/b", (_request, response) => response.destroy());
    expect(await textAt("/a")).toBe("<rss>");
    server.requests.length = 0;
    await expect(get("/b")).rejects.toThrow("the connection broke off");
    expect(server.requests).toHaveLength(2);
  });

  test("a bomb of brotli, one inside the other, and a coding that there is not", async () => {
    const large = Buffer.alloc(20_000_000);
    const quick = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
    server.pages.set("/brotli", {
      body: brotliCompressSync(large, quick),
      headers: { "content-encoding": "br" },
    });
    const twice = gzipSync(gzipSync(large));
    server.pages.set("/twice", { body: twice, headers: { "content-encoding": "gzip, gzip" } });
    let wrapped: Buffer = Buffer.from("<rss>");
    for (let level = 0; level < 4; level++) wrapped = gzipSync(wrapped);
    server.pages.set("/many", { body: wrapped, headers: { "content-encoding": "gzip,gzip,gzip,gzip" } });
    server.pages.set("/zstd", { body: "x", headers: { "content-encoding": "zstd" } });
    for (const path of ["/brotli", "/twice"]) await expect(get(path)).rejects.toThrow("larger than 1 MB");
    await expect(get("/many")).rejects.toThrow("in a way that nobody asked for");
    await expect(get("/zstd")).rejects.toThrow("in a way that nobody asked for");
  });

  test("headers without end, and an answer in drops", async () => {
    server.pages.set("/headers", { headers: { "x-long": "x".repeat(60_000) } });
    await expect(get("/headers")).rejects.toThrow("its headers are too large");
    let timer: NodeJS.Timeout | undefined;
    server.pages.set("/drops", (_request, response) => {
      response.writeHead(200);
      timer = setInterval(() => response.write("x"), 100);
    });
    await expect(get("/drops")).rejects.toThrow("no complete answer within 2 s");
    clearInterval(timer);
  });

  test("an answer that never ends", async () => {
    server.pages.set("/a", { body: "<rss>", hangs: true });
    await expect(get("/a")).rejects.toThrow("no complete answer within 2 s");
  });

  test.each([
    [410, {}, { isFinal: true, retryAfterMs: null }],
    [429, { "retry-after": "120" }, { isFinal: false, retryAfterMs: 120_000 }],
    [429, {}, { isFinal: false, retryAfterMs: 60_000 }],
    [503, { "retry-after": "30" }, { isFinal: false, retryAfterMs: 30_000 }],
    [403, {}, { isFinal: false, retryAfterMs: null }],
  ])("status %i with %o", async (status, headers, expected) => {
    server.pages.set("/a", { status, headers });
    await expect(get("/a")).rejects.toMatchObject(expected);
  });

  test("nothing that answers", async () => {
    await expect(get("", { url: "http://127.0.0.1:1/" })).rejects.toThrow("connection refused");
  });
});
