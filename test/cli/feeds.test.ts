import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadConfig } from "../../src/admin/config/config.ts";
import { LISTENING } from "../../src/admin/config/own-source.ts";
import { withListening } from "../../src/app/open-listening.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createClosing } from "../../src/lib/closing.ts";
import { findProject } from "../../src/listening-api/account/find-named.ts";
import { receiveItems } from "../../src/listening-api/arrive/receive-items.ts";
import { createDatabase } from "../../src/listening-api/store/database.ts";
import { openPool } from "../../src/monitor/store/database.ts";
import { type FeedServer, rssDocument, startFeedServer } from "../fakes/feed-server.ts";
import { mail, startImap } from "../fakes/imap.ts";
import { createEvents, startJetstream } from "../fakes/jetstream.ts";
import { createTestDatabase } from "../postgres.ts";
import { until } from "../until.ts";
import { type Ran, runCommand } from "./run-command.ts";

const closing = createClosing();
let server: FeedServer;
let folder: string;
let env: Record<string, string>;
afterAll(() => closing.close());

beforeAll(async () => {
  const database = await createTestDatabase();
  closing.add(database.drop);
  server = await startFeedServer();
  closing.add(server.close);
  folder = await mkdtemp(join(tmpdir(), "earshot-feeds-"));
  closing.add(() => rm(folder, { recursive: true }));
  env = { DATABASE_URL: database.url, EARSHOT_HOME: folder, EARSHOT_CONFIG: join(folder, "earshot.yaml") };
  server.pages.set("/good", {
    body: rssDocument([
      {
        guid: "1",
        title: "Acme opens a shop",
        link: "https://blog.example/1",
        html: "<p>x</p>",
        date: "2099-01-01T00:00:00Z",
      },
      { guid: "2", title: "Other news", link: "https://blog.example/2", html: "<p>rivalware is here</p>" },
      { guid: "3", title: "Acme in 2001", date: "2001-01-01T00:00:00Z" },
    ]),
  });
  server.pages.set("/page", { body: "<!doctype html><title>Just a moment</title>" });
});

async function configure(feeds: string): Promise<void> {
  await writeFile(
    env["EARSHOT_CONFIG"] ?? "",
    `listen:
  queries: [{ name: Acme, text: acme NOT jobs }, { name: Rival, text: '"big rivalware"' }]
  feeds: ${feeds}
receivers: [{ name: hook, kind: webhook, url: "http://127.0.0.1:9/x", allowPrivateAddress: true }]
routes: [{ receivers: [hook] }]
`,
  );
}
const rss = () =>
  `[{ kind: rss, urls: ["${server.url}/good", "${server.url}/page"], allowPrivateAddress: true }, { kind: push, name: zapier, token: 0123456789abcdef }]`;

const feeds = (...args: string[]): Promise<Ran> => runCommand(["feeds", ...args], env);

test("try shows what would come in, matched by what, and why not, and stores nothing", async () => {
  await configure(rss());
  const { stdout, exitCode } = await feeds("try", `${server.url}/good`);
  expect(exitCode).toBe(0);
  expect(stdout).toContain("2 items, 1 matched. Nothing was stored.");
  expect(stdout).toContain("Acme opens a shop\n");
  expect(stdout).toContain("(dated in the future: the time of the fetch)");
  expect(stdout).toContain("→ Acme");
  expect(stdout).toContain('· not Rival: "big rivalware" is not in the text.');
  expect(stdout).toContain("Left out, 1 item: it is older than what is kept.");
  const { stdout: json } = await feeds("try", `${server.url}/good`, "--json");
  expect(JSON.parse(json)).toMatchObject({ items: [{ queries: [{ name: "Acme" }] }, { queries: [] }] });
  expect((await feeds()).stdout).toContain("not started: earshot start opens it");
});

test("a feed that cannot be read is named with the reason; a wrong name with the one that was meant", async () => {
  await configure(rss());
  expect(await feeds("try", `${server.url}/page`)).toMatchObject({
    exitCode: 1,
    stdout: expect.stringContaining("a web page is at this address, not a feed"),
  });
  expect(await feeds("try", "zapierr")).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('did you mean "zapier"'),
  });
  expect(await feeds("try", "rss")).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('2 feeds are called "rss"'),
  });
});

test("the list says of each feed when it was read, what came, and why it is silent", async () => {
  await configure(rss());
  const config = await loadConfig(env["EARSHOT_CONFIG"] ?? "", {});
  const running = createClosing();
  const parts = {
    databaseUrl: env["DATABASE_URL"] ?? "",
    fetches: true,
    clock: systemClock,
    log: pino({ level: "silent" }),
  };
  await withListening(config, { ...parts, port: 0 }, running);
  const list = async () =>
    JSON.parse((await feeds("--json")).stdout).feeds as { name: string; state: string }[];
  await until(
    "both were fetched",
    async () => (await list()).filter(({ state }) => state === "ok" || state === "failing").length === 2,
    { withinMs: 20_000 },
  );
  await running.close();
  const { stdout } = await feeds();
  expect(stdout).toMatch(
    /\/good .* ok\n {2}last answer \S+ ago, expected every 10m, next try in .* today 2 items, 1 matched/,
  );
  expect(stdout).toMatch(/\/page .* failing\n.*\n {2}a web page is at this address/);
  expect(stdout).toMatch(/zapier .* open\n.*\n {2}nothing was sent to it yet/);
});

test("what was seen to be gone is listed without its text, and comes back by its address or its id", async () => {
  const pool = openPool({ url: env["DATABASE_URL"] ?? "", connections: 2, onError: () => {} });
  closing.add(() => pool.end());
  const db = createDatabase(pool);
  const { id } = await findProject(db, LISTENING);
  const shops = await pool.query<{ key: string }>(
    "select encode(id_key, 'hex') as key from local_api.received_item where native_id = '1'",
  );
  const see = async (idKey: string) =>
    db.transaction().execute((transaction) =>
      receiveItems(
        transaction,
        { id, timezone: "Etc/UTC" },
        { kind: "rss", feedKey: "x", host: "blog.example", policyVersion: 1 },
        {
          arrived: [],
          deleted: [{ idKey, nativeId: "1", reason: "its page is gone", mayReturn: true }],
        },
        { at: systemClock.now(), cache: new Map(), queue: async () => {} },
      ),
    );
  const idKey = shops.rows[0]?.key ?? "";
  expect((await feeds("undo")).stdout).toContain("Nothing that was deleted");
  await see(idKey);
  const { stdout } = await feeds("undo");
  expect(stdout).toMatch(/\/good +its page is gone/);
  expect(stdout).not.toMatch(/shop|blog\.example/);
  expect(await feeds("undo", "https://blog.example/2")).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining("can be undone"),
  });
  expect((await feeds("undo", "https://blog.example/1?utm_source=x")).stdout).toContain("1 mention is back");
  await see(idKey);
  const [listed] = JSON.parse((await feeds("undo", "--json")).stdout) as { id: string; feed: string }[];
  expect((await feeds("undo", "--feed", listed?.feed ?? "")).stdout).toContain("1 mention is back");
  await see(idKey);
  const [again] = JSON.parse((await feeds("undo", "--json")).stdout) as { id: string }[];
  const undone = await feeds("undo", again?.id.slice(0, 12) ?? "", "--json");
  expect(JSON.parse(undone.stdout)).toEqual({ undone: 1 });
});

test("what people have taught is listed by query, with how good it is", async () => {
  const taught = async () => (await feeds("learned")).stdout;
  expect(await taught()).toContain("Nothing is learnt");
  const file = env["EARSHOT_CONFIG"] ?? "";
  await writeFile(
    file,
    `${await readFile(file, "utf8")}enrich: { relevance: learned, sentiment: learned, categories: learned }\n`,
  );
  expect(await taught()).toMatch(/Acme +relevance +too few judged alerts \(0\): it begins with eight/);
  expect(await taught()).toMatch(/Acme +sentiment +too few corrected mentions \(0\)/);
  expect(await taught()).toMatch(/Acme +category +too few corrected mentions \(0\)/);
  expect(JSON.parse((await feeds("learned", "--json")).stdout)).toContainEqual({
    ...{ query: "Acme", what: "sentiment", outcome: "TooFew", judged: 0 },
    ...{ precision: null, recall: null, without: null },
  });
  await configure(rss());
});

test("a stream is listened to for some seconds; an address on this machine is refused unless it is allowed", async () => {
  const jetstream = await startJetstream();
  closing.add(jetstream.close);
  const { create, remove } = createEvents(systemClock.now() * 1_000);
  const events = [
    create("did:plc:ann", "1", "acme again"),
    create("did:plc:bob", "2", "nothing"),
    remove("did:plc:ann", "9"),
  ];
  jetstream.onOpen = (socket) => {
    for (const { frame } of events) socket.send(frame);
  };
  const stream = (more: string) => `[{ kind: bluesky, hosts: ["${jetstream.url}"]${more} }]`;
  await configure(stream(", allowPrivateAddress: true"));
  const { stdout, exitCode } = await feeds("try", "bluesky", "--seconds", "0.5");
  expect(exitCode).toBe(0);
  expect(stdout).toContain("Bluesky: 2 items, 1 matched. Nothing was stored.");
  expect(stdout).toMatch(
    /acme again\n.+ by did:plc:ann · bluesky · https:\/\/bsky\.app\/profile\/did:plc:ann\/post\/1/,
  );
  expect(stdout).toContain('→ Acme: "acme"');
  expect(stdout).toContain("1 delete.");
  expect(await feeds("try", "bluesky", "--seconds", "soon")).toMatchObject({
    stderr: expect.stringContaining("--seconds is a number"),
  });
  await configure(stream(""));
  expect(await feeds("try", "bluesky", "--seconds", "0.5")).toMatchObject({
    exitCode: 1,
    stdout: expect.stringContaining("allowPrivateAddress: true at the feed allows that"),
  });
});

test("a started monitor listens to the stream and reads the mailbox, and the list says so", async () => {
  const jetstream = await startJetstream();
  const imap = await startImap();
  closing.add(jetstream.close);
  closing.add(imap.close);
  imap.mails = [{ uid: 1, source: mail({}, "acme by mail"), receivedAt: systemClock.now() }];
  const { host, port, user, password } = imap;
  await configure(
    `[{ kind: bluesky, hosts: ["${jetstream.url}"], allowPrivateAddress: true },
      { kind: mailbox, imap: { host: ${host}, port: ${port}, user: ${user}, password: ${password}, encryption: none }, allowPrivateAddress: true }]`,
  );
  const running = createClosing();
  const parts = {
    ...{ databaseUrl: env["DATABASE_URL"] ?? "", fetches: true, clock: systemClock },
    log: pino({ level: "silent" }),
  };
  await withListening(await loadConfig(env["EARSHOT_CONFIG"] ?? "", {}), { ...parts, port: 0 }, running);
  try {
    await until("it is connected", () => jetstream.sockets.size === 1, { withinMs: 20_000 });
    jetstream.emit(createEvents(systemClock.now() * 1_000).create("did:plc:ann", "1", "acme on Bluesky"));
    await until(
      "both have brought an item",
      async () => {
        const { feeds: rows } = JSON.parse((await feeds("--json")).stdout) as {
          feeds: { itemsToday: number }[];
        };
        return rows.filter(({ itemsToday }) => itemsToday === 1).length === 2;
      },
      { withinMs: 20_000 },
    );
    const { stdout } = await feeds();
    expect(stdout).toMatch(
      /^Bluesky +bluesky +listening\n {2}last answer \S+ ago, .* today 1 item, 1 matched/m,
    );
    expect(stdout).toMatch(/^ann@mail\.example +mailbox +ok\n/m);
    expect(stdout).not.toContain(password);
  } finally {
    await running.close();
  }
});

test("a file without feeds is told how they are written", async () => {
  await configure("[]");
  expect((await feeds()).stdout).toContain("earshot.yaml has it no more; its mentions stay");
  await writeFile(env["EARSHOT_CONFIG"] ?? "", "receivers: []\n");
  expect((await feeds()).exitCode).toBe(2);
});
