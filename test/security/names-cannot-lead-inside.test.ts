import { createServer } from "node:net";
import { Agent, request } from "undici";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { createFetchFeed } from "../../src/feeds/run/fetch-feed.ts";
import { openStream, STREAM_LIMITS } from "../../src/feeds/run/open-stream.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createAgent } from "../../src/lib/public-agent.ts";
import { createHttpPost } from "../../src/monitor/notify/http-post.ts";
import { fetchOnce, plannedOf } from "../contracts/feed.ts";
import { startDns } from "../fakes/dns.ts";
import { startProxy } from "../fakes/proxy.ts";

/**
 * Names of strangers that lead to this machine, by a real DNS server and real connections. `OUTSIDE` counts as public and
 * was given to nobody: no packet reaches anybody.
 */
const OUTSIDE = "2d00::1";

const dns = await startDns();
let caught = 0;
/** Whatever gets here was led inside. It has the same port at each address of this machine. */
const trap = createServer((socket) => {
  caught++;
  socket.destroy();
});
await new Promise<void>((resolve) => trap.listen(0, resolve));
const address = trap.address();
const port = typeof address === "object" && address !== null ? address.port : 0;
const fetcher = createFetchFeed({ userAgent: "Earshot/test", clock: systemClock, timeoutMs: 1_000 });
const proxy = await startProxy();
afterAll(async () => {
  await fetcher.close();
  await proxy.close();
  await dns.close();
  await new Promise<void>((resolve) => trap.close(() => resolve()));
});
beforeEach(() => {
  caught = 0;
  dns.names.clear();
});
afterEach(() => expect(caught).toBe(0));

/** Everything that connects to an address which strangers choose. Each rejects with why. */
const CLIENTS: Readonly<Record<string, (name: string) => Promise<unknown>>> = {
  "a feed": (name) =>
    fetcher.fetch(
      { url: `http://${name}:${port}/feed` },
      { allowPrivateAddress: false, signal: new AbortController().signal },
    ),
  "a feed over TLS": (name) =>
    fetcher.fetch(
      { url: `https://${name}:${port}/feed` },
      { allowPrivateAddress: false, signal: new AbortController().signal },
    ),
  "a feed through a proxy": (name) =>
    fetcher.fetch(
      { url: `http://${name}:${port}/feed` },
      { allowPrivateAddress: false, signal: new AbortController().signal, proxy: { url: proxy.url } },
    ),
  "a stream": async (name) => {
    const stream = openStream(`ws://${name}:${port}/`, {
      ...{ userAgent: "Earshot/test", allowPrivateAddress: false, isCompressed: false },
      limits: { ...STREAM_LIMITS, batchMs: 10, handshakeMs: 1_000 },
    });
    for (;;) {
      const { end } = await stream.take();
      if (end !== null) throw new Error(end.problem);
    }
  },
  "a mailbox": (name) => {
    const imap = { host: name, port, user: "ann", password: "secret", encryption: "tls" };
    const mailbox = plannedOf({ kind: "mailbox", allowPrivateAddress: false, imap });
    return fetchOnce(mailbox, {}, { timeoutMs: 1_000 });
  },
  "a webhook": async (name) => {
    const about = { what: "It", allowPrivateAddress: false, secrets: [] };
    const server = createHttpPost(`http://${name}:${port}/hook`, about);
    try {
      await server.post({ body: "{}", headers: {} }, AbortSignal.timeout(1_000));
    } finally {
      await server.close();
    }
  },
  "the check of a webhook": async (name) => {
    const about = { what: "It", allowPrivateAddress: false, secrets: [] };
    const server = createHttpPost(`https://${name}:${port}/hook`, about);
    try {
      await server.reach(AbortSignal.timeout(1_000));
    } finally {
      await server.close();
    }
  },
  "a heartbeat": async (name) => {
    const dispatcher = createAgent(`http://${name}:${port}/`, false);
    try {
      await request(`http://${name}:${port}/`, { dispatcher, signal: AbortSignal.timeout(1_000) });
    } finally {
      await dispatcher.destroy();
    }
  },
};
const PRIVATE = /private network|EPRIVATE/;

test("the trap would catch whoever is led inside", async () => {
  dns.names.set("open.test", () => ["127.0.0.1"]);
  const dispatcher = new Agent();
  await expect(request(`http://open.test:${port}/`, { dispatcher })).rejects.toThrow();
  await dispatcher.destroy();
  expect(caught).toBe(1);
  expect(dns.lookedUp).toContain("open.test");
  caught = 0;
});

describe.each(Object.entries(CLIENTS))("%s", (_client, open) => {
  test.each<[string, readonly string[]]>([
    ["of this machine", ["127.0.0.1"]],
    ["of this machine, by IPv6 only", ["::1"]],
    ["inside, hidden in IPv6 (mapped)", ["::ffff:127.0.0.1"]],
    ["inside, hidden in IPv6 (NAT64)", ["64:ff9b::7f00:1"]],
    ["outside and inside, of which one answers sooner", [OUTSIDE, "127.0.0.1"]],
    ["outside, and the last one inside", [OUTSIDE, "2d00::2", "2d00::3", "2d00::4", "2d00::5", "::1"]],
    ["of the local network", ["10.0.0.7", "192.168.1.1"]],
    ["where clouds keep their keys", ["169.254.169.254"]],
    ["that is none", ["0.0.0.0"]],
  ])("a name with an address %s is refused before anything is connected", async (_name, addresses) => {
    dns.names.set("liar.test", () => addresses);
    await expect(reasonOf(open("liar.test"))).resolves.toMatch(PRIVATE);
  });

  test("a name that is outside when it is looked up first, and inside from then on", async () => {
    dns.names.set("rebinds.test", (lookUps) => (lookUps === 1 ? [OUTSIDE] : ["127.0.0.1"]));
    dns.lookedUp.length = 0;
    await expect(reasonOf(open("rebinds.test"))).resolves.not.toMatch(PRIVATE);
    await expect(reasonOf(open("rebinds.test"))).resolves.toMatch(PRIVATE);
    // One look-up for each connection: there is no second one that could say something else.
    expect(dns.lookedUp).toEqual(["rebinds.test", "rebinds.test"]);
  });
});

/** With all causes. */
async function reasonOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return "nothing";
  } catch (error) {
    const words: string[] = [];
    for (let one = error; one instanceof Error; one = one.cause) words.push(one.message);
    return words.join(" ");
  }
}
