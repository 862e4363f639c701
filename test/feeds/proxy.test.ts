import { createServer } from "node:tls";
import { afterAll, beforeEach, expect, test } from "vitest";
import type { FeedProxy } from "../../src/feeds/common/define-feed.ts";
import { createFetchFeed } from "../../src/feeds/run/fetch-feed.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { fetchOnce, plannedOf } from "../contracts/feed.ts";
import { startDns } from "../fakes/dns.ts";
import { rssDocument, startFeedServer } from "../fakes/feed-server.ts";
import { startProxy } from "../fakes/proxy.ts";

/** It counts as public, and was given to nobody: only the proxy of the test knows where it leads. */
const OUTSIDE = "2d00::1";
const dns = await startDns();
const server = await startFeedServer();
const [open, closed] = [await startProxy(), await startProxy({ user: "earshot", password: "p:ss" })];
const fetcher = createFetchFeed({ userAgent: "Earshot/test", clock: systemClock, timeoutMs: 2_000 });
afterAll(() => Promise.all([fetcher.close(), server.close(), open.close(), closed.close(), dns.close()]));
beforeEach(() => {
  server.pages.clear();
  server.requests.length = 0;
  dns.names.clear();
  for (const proxy of [open, closed]) {
    proxy.asked.length = 0;
    proxy.routes.clear();
  }
});

const { signal } = new AbortController();
const get = (url: string, proxy: FeedProxy, allowPrivateAddress = false) =>
  fetcher.fetch({ url }, { allowPrivateAddress, signal, proxy });
const here = () => new URL(server.url).host;

test("a name is looked up here, and the proxy is asked for the address that was checked", async () => {
  dns.names.set("blog.test", () => [OUTSIDE]);
  open.routes.set(`[${OUTSIDE}]:80`, here());
  server.pages.set("/feed", { body: "<rss/>" });
  const answer = await get("http://blog.test/feed", { url: open.url });
  expect([answer.status, answer.url]).toEqual([200, "http://blog.test/feed"]);
  expect(open.asked).toEqual([`[${OUTSIDE}]:80`]);
  expect(server.requests[0]?.headers).toMatchObject({ host: "blog.test", "user-agent": "Earshot/test" });
});

test("over TLS the server is asked for, and has to prove, its name", async () => {
  const names: string[] = [];
  const tls = createServer({
    SNICallback: (name, done) => {
      names.push(name);
      done(new Error("no certificate"));
    },
  });
  tls.on("tlsClientError", () => {});
  await new Promise<void>((resolve) => tls.listen(0, "127.0.0.1", resolve));
  const address = tls.address();
  dns.names.set("blog.test", () => [OUTSIDE]);
  open.routes.set(
    `[${OUTSIDE}]:443`,
    `127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`,
  );
  await expect(get("https://blog.test/feed", { url: open.url })).rejects.toThrow();
  expect(names).toContain("blog.test");
  await new Promise<void>((resolve) => tls.close(() => resolve()));
});

test.each([
  ["a name that leads inside", "http://inside.test/feed"],
  ["an address inside", "http://10.0.0.7/feed"],
  ["a name of clouds", "http://cloud.test/latest"],
])("%s is refused before the proxy is asked", async (_name, url) => {
  dns.names.set("inside.test", () => ["192.168.1.1"]);
  dns.names.set("cloud.test", () => ["169.254.169.254"]);
  await expect(get(url, { url: open.url })).rejects.toThrow("private network");
  expect(open.asked).toEqual([]);
});

test("a redirect goes through the proxy, too, and leads no further inside", async () => {
  dns.names.set("blog.test", () => [OUTSIDE]);
  dns.names.set("inside.test", () => ["127.0.0.1"]);
  open.routes.set(`[${OUTSIDE}]:80`, here());
  server.pages.set("/feed", { status: 302, headers: { location: "http://inside.test/keys" } });
  await expect(get("http://blog.test/feed", { url: open.url })).rejects.toThrow("private network");
  expect(server.requests.map(({ path }) => path)).toEqual(["/feed"]);
  expect(open.asked.join()).not.toContain("127.0.0.1");
});

test("where private addresses are allowed, the proxy looks names up itself", async () => {
  open.routes.set("intranet.test:80", here());
  server.pages.set("/feed", { body: "<rss/>" });
  expect(await get("http://intranet.test/feed", { url: open.url }, true)).toMatchObject({ status: 200 });
  expect(open.asked).toEqual(["intranet.test:80"]);
  expect(dns.lookedUp).not.toContain("intranet.test");
});

test("a proxy gets the name and the password that it asks for; its refusals are told, without them", async () => {
  server.pages.set("/feed", { body: "<rss/>" });
  const url = `${server.url}/feed`;
  expect(await get(url, { url: closed.url, user: "earshot", password: "p:ss" }, true)).toMatchObject({
    status: 200,
  });
  expect(server.requests[0]?.headers["proxy-authorization"]).toBeUndefined();
  await expect(get(url, { url: closed.url, user: "earshot", password: "wrong" }, true)).rejects.toThrow(
    "its proxy does not let us through; perhaps it wants another user and password",
  );
  await expect(get("http://127.0.0.1:9/feed", { url: open.url }, true)).rejects.toThrow(
    "its proxy does not let us through",
  );
});

test("the key of a feed sends everything of it through the proxy", async () => {
  server.pages.set("/feed", {
    body: rssDocument([{ guid: "1", title: "Acme", link: "https://x.example/1" }]),
  });
  const feed = plannedOf({
    ...{ kind: "rss", urls: [`${server.url}/feed`], allowPrivateAddress: true, proxy: { url: open.url } },
  });
  const { read } = await fetchOnce(feed, {});
  expect(read.items).toHaveLength(1);
  expect(open.asked).toEqual([here()]);
});
