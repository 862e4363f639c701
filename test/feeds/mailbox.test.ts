import { sql } from "kysely";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { DAY, HOUR, MINUTE } from "../../src/lib/instant.ts";
import type { JsonObject } from "../../src/lib/json.ts";
import { fetchOnce, plannedOf } from "../contracts/feed.ts";
import { type FakeMail, googleAlert, mail, startImap } from "../fakes/imap.ts";
import { feedsOf, startFeeding } from "./feeding.ts";

const server = await startImap();
afterAll(server.close);
const { host, port, user, password } = server;
const imap = { host, port, user, password, encryption: "none" };
const feed = plannedOf({ kind: "mailbox", imap });
const alert = (n: number, more = {}) => ({
  ...{
    url: `https://news.example/${n}`,
    title: `Acme <b>wins</b> ${n}`,
    snippet: `About <b>acme</b> &amp; ${n}`,
  },
  ...more,
});
const received = systemClock.now() - HOUR;
const numbered = (...sources: readonly (string | Buffer)[]): FakeMail[] =>
  sources.map((source, n) => ({ uid: 10 + n * 3, source, receivedAt: received + n * MINUTE }));

beforeEach(() => {
  Object.assign(server, { mails: [], validity: 7, fault: undefined, greeting: "* OK ready", sent: 0 });
  server.commands.length = 0;
});

async function read(state: JsonObject = {}, of = feed) {
  return await fetchOnce(of, state);
}

describe("a mailbox", () => {
  test("gives each entry of an alert with the page behind the link, and any other mail as one item", async () => {
    server.mails = numbered(
      googleAlert([alert(1), alert(2, { url: "https://shop.example/%3Fa%3D1%26b%3D2" })]),
      mail(
        { "Message-ID": "<1@letter.example>", "Content-Type": "text/plain" },
        "Dear reader,\r\nacme is here.",
      ),
    );
    const { items, problem } = (await read()).read;
    expect(problem).toBeUndefined();
    expect(items).toEqual([
      {
        ...{ id: "https://news.example/1", scope: "google-alerts", url: "https://news.example/1" },
        ...{ title: "Acme wins 1", site: "Site", author: "Site", body: { text: "About acme & 1" } },
        ...{ publishedAt: Math.floor(received / 1_000) * 1_000, revision: expect.any(Number) },
      },
      expect.objectContaining({ url: "https://shop.example/?a=1&b=2", title: "Acme wins 2" }),
      {
        ...{ id: "<1@letter.example>", scope: "mail", url: null, title: "A letter" },
        ...{ author: "news@letter.example", fullname: "News", body: { text: "Dear reader,\nacme is here." } },
        publishedAt: expect.any(Number),
      },
    ]);
  });

  test("is only read: opened for reading, and no mail is marked as seen", async () => {
    server.mails = numbered(googleAlert([alert(1)]), mail({}, "x"));
    await read();
    const verbs = new Set(server.commands.map((command) => /^(?:UID )?\w+/.exec(command)?.[0].toUpperCase()));
    expect(
      [...verbs].filter((verb) => /SELECT|STORE|EXPUNGE|COPY|MOVE|APPEND|DELETE|CREATE/.test(verb ?? "")),
    ).toEqual([]);
    expect(verbs).toContain("EXAMINE");
    expect(server.commands.filter((command) => /BODY(?!\.PEEK)/.test(command))).toEqual([]);
    expect(server.commands.at(-1)).toMatch(/^LOGOUT/);
  });

  test("goes on after the last mail; the last one is not read again where a server names it", async () => {
    server.mails = numbered(mail({}, "one"), mail({}, "two"));
    const first = await read();
    const second = await read(first.state);
    expect(second.read.items).toEqual([]);
    server.mails = numbered(mail({}, "one"), mail({}, "two"), mail({}, "three"));
    expect((await read(second.state)).read.items.map(({ body }) => body)).toEqual([{ text: "three" }]);
  });

  test("with other numbers (UIDVALIDITY) it is read again from some days back", async () => {
    server.mails = numbered(mail({ "Message-ID": "<1@x>" }, "one"), mail({ "Message-ID": "<2@x>" }, "two"));
    const { state } = await read();
    server.validity = 8;
    server.mails = [{ uid: 1, source: mail({ "Message-ID": "<2@x>" }, "two"), receivedAt: received }];
    expect((await read(state)).read.items.map(({ id }) => id)).toEqual(["<2@x>"]);
  });

  test("an empty folder, and a long one in parts", async () => {
    const empty = await read();
    expect(empty.read.items).toEqual([]);
    server.mails = numbered(
      ...Array.from({ length: 120 }, (_, n) => mail({ "Message-ID": `<${n}@x>` }, `${n}`)),
    );
    const ids: string[] = [];
    for (let { state } = empty; ; ) {
      const done = await read(state);
      ids.push(...done.read.items.map(({ id }) => id));
      state = done.state;
      if (done.read.more !== true) break;
    }
    expect(ids).toEqual(Array.from({ length: 120 }, (_, n) => `<${n}@x>`));
  });

  test("a new feed leaves older mails out, also when nothing newer is there", async () => {
    server.mails = [{ uid: 5, source: mail({}, "old"), receivedAt: systemClock.now() - 30 * DAY }];
    const { read: found, state } = await read();
    expect(found.items).toEqual([]);
    server.mails.push({ uid: 6, source: mail({}, "new"), receivedAt: systemClock.now() });
    expect((await read(state)).read.items).toHaveLength(1);
  });

  test("mails of other senders are not even fetched where senders are listed", async () => {
    server.mails = numbered(
      mail({ From: "Spam <ann@letter.example.evil>" }, "a"),
      mail({ From: "X <x@sub.letter.example>" }, "b"),
      mail({ From: "GOOD@Other.Example" }, "c"),
      mail({ From: "letter.example <x@evil.example>" }, "d"),
      "Subject: nobody\r\n\r\ne",
    );
    const only = plannedOf({ kind: "mailbox", imap, from: ["@letter.example", "good@other.example"] });
    const { items } = (await read({}, only)).read;
    expect(items.map(({ body }) => body)).toEqual([{ text: "b" }, { text: "c" }]);
    expect(server.commands.filter((command) => /BODY/.test(command))).toHaveLength(2);
  });

  test("only the beginning of a mail of 50 MB is fetched; what is attached is left out", async () => {
    const huge = mail(
      { "Content-Type": 'multipart/mixed; boundary="b"' },
      `--b\r\nContent-Type: text/plain\r\n\r\nacme in front\r\n--b\r\nContent-Type: application/zip\r\nContent-Disposition: attachment; filename=a.zip\r\nContent-Transfer-Encoding: base64\r\n\r\n${"QUFB".repeat(12_500_000)}\r\n--b--\r\n`,
    );
    server.mails = numbered(Buffer.from(huge));
    const { items, problem } = (await read()).read;
    expect(problem).toBeUndefined();
    expect(items.map(({ body }) => body)).toEqual([{ text: "acme in front" }]);
    expect(server.sent).toBeLessThan(1_100_000);
  });

  test("a mail that the server does not give is tried three times and then left out; the others come", async () => {
    server.mails = numbered(
      mail({ "Message-ID": "<1@x>" }, "1"),
      mail({}, "2"),
      mail({ "Message-ID": "<3@x>" }, "3"),
    );
    server.fault = (command, tag) =>
      /^UID FETCH 13 .*BODY/.test(command) ? `${tag} NO upstream uid not found\r\n` : undefined;
    const ids: string[] = [];
    const problems: (string | undefined)[] = [];
    let state: JsonObject = {};
    for (let round = 0; round < 4; round++) {
      const done = await read(state);
      ids.push(...done.read.items.map(({ id }) => id));
      problems.push(done.read.problem);
      state = done.state;
    }
    expect(ids).toEqual(["<1@x>", "<3@x>"]);
    expect(problems.map((one) => one?.slice(0, 28))).toEqual([
      ...Array(3).fill("mail number 13 cannot be rea"),
      undefined,
    ]);
  });
});

describe("hostile mails are items with what can be read", () => {
  const multi = (body: string, more = "") =>
    mail({ "Content-Type": `multipart/mixed; boundary="b"${more}` }, body);
  test.each([
    ["without any structure", "acme", null, null],
    ["nothing at all", "", null, null],
    ["a boundary that never comes", multi("acme"), "A letter", null],
    [
      "a boundary that never ends",
      multi("--b\r\nContent-Type: text/plain\r\n\r\nacme here"),
      "A letter",
      "acme here",
    ],
    [
      "a boundary that is empty",
      mail({ "Content-Type": 'multipart/mixed; boundary=""' }, "--\r\n\r\nacme"),
      "A letter",
      null,
    ],
    [
      "a charset that there is not",
      mail({ "Content-Type": "text/plain; charset=klingon" }, "acme"),
      "A letter",
      "acme",
    ],
    [
      "a wrong charset",
      Buffer.concat([
        Buffer.from(mail({ "Content-Type": "text/plain; charset=utf-8" }, "caf")),
        Buffer.from([0xe9]),
      ]),
      "A letter",
      "caf\ufffd",
    ],
    [
      "an old charset",
      mail(
        { "Content-Type": "text/plain; charset=koi8-r", "Content-Transfer-Encoding": "base64" },
        "8NLJ18XU",
      ),
      "A letter",
      "Привет",
    ],
    [
      "winmail.dat",
      multi(
        "--b\r\nContent-Type: application/ms-tnef; name=winmail.dat\r\nContent-Transfer-Encoding: base64\r\n\r\neJ8+\r\n--b--",
      ),
      "A letter",
      null,
    ],
    [
      "a mail in a mail",
      multi(
        `--b\r\nContent-Type: text/plain\r\n\r\nouter\r\n--b\r\nContent-Type: message/rfc822\r\n\r\n${mail({}, "inner")}\r\n--b--`,
      ),
      "A letter",
      "outer",
    ],
    [
      "a mail in a mail without its end",
      multi(
        `--b\r\nContent-Type: message/rfc822\r\n\r\n${multi("--b\r\nContent-Type: message/rfc822\r\n\r\n")}`,
      ),
      "A letter",
      null,
    ],
    [
      "headers in a subject",
      mail({ Subject: "=?utf-8?Q?Sale=0D=0ABcc:=20all@x.example=0D=0A=0D=0Abody?=" }, "acme"),
      "Sale Bcc: all@x.example body",
      "acme",
    ],
    [
      "broken base64",
      mail({ "Content-Type": "text/plain", "Content-Transfer-Encoding": "base64" }, "YWNtZQ*=%%="),
      "A letter",
      "acme",
    ],
    [
      "scripts",
      mail({ "Content-Type": "text/html" }, "<p>acme</p><script>steal()</script><img src=x onerror=y>"),
      "A letter",
      "acme",
    ],
    ["a header of 200 kB", mail({ "X-Long": "x".repeat(200_000) }, "acme"), "A letter", "acme"],
    [
      "10,000 parts",
      multi(Array.from({ length: 10_000 }, () => "--b\r\nContent-Type: text/x-y\r\n\r\n.\r\n").join("")),
      "A letter",
      undefined,
    ],
    [
      "10,000 levels",
      multi("--b\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n".repeat(10_000)),
      "A letter",
      undefined,
    ],
  ])("%s", async (_name, source, title, text) => {
    const feeding = await hostile;
    server.mails = numbered(source);
    const shown = await feeding(source);
    if (title !== null) expect(shown?.title).toBe(title);
    if (typeof text === "string") expect(shown?.text?.trim()).toContain(text);
    if (text === null && title !== null) expect(shown?.text).toBe(title);
    expect(JSON.stringify(shown ?? {})).not.toMatch(/steal\(|onerror|[\r\0]/);
  });
});

/** Stores one mail for real, and gives it as the local API shows it. */
const hostile = (async () => {
  const feeding = await startFeeding({
    feeds: feedsOf({ kind: "mailbox", imap }),
    queries: { Acme: "acme" },
  });
  let uid = 100;
  return async (source: string | Buffer) => {
    server.mails = [{ uid: uid++, source, receivedAt: systemClock.now() }];
    server.validity = 9;
    await sql`delete from local_api.mention`.execute(feeding.db);
    await sql`delete from local_api.received_item`.execute(feeding.db);
    await feeding.fetchAll();
    expect((await feeding.feeds())[0]?.problem).toBeNull();
    return (await feeding.mentions({ hidden: true }))[0];
  };
})();

test("the same alert twice, in other words, and in another folder's numbers, is one item that stays as it was", async () => {
  const feeding = await startFeeding({
    feeds: feedsOf({ kind: "mailbox", imap }),
    queries: { Acme: "acme" },
  });
  server.mails = numbered(
    googleAlert([alert(1)]),
    googleAlert([alert(1, { snippet: "acme otherwise" }), alert(2)]),
  );
  await feeding.fetchAll();
  server.validity = 99;
  await feeding.fetchAll();
  const shown = await feeding.mentions();
  expect(shown.map(({ title, text, version }) => [title, text, version])).toEqual([
    ["Acme wins 1", "About acme & 1", 1],
    ["Acme wins 2", "About acme & 2", 1],
  ]);
  expect(shown[0]).toMatchObject({ url: "https://news.example/1", record: { domain: "news.example" } });
});

describe("alerts", () => {
  test("without names in their markup, and as text", async () => {
    const bare = googleAlert([alert(1), alert(2)]).replaceAll(/ itemprop="\w+"/g, "");
    const text = mail(
      { From: "googlealerts-noreply@google.com", "Content-Type": "text/plain" },
      [
        "=== News - 1 new result for [acme] ===",
        "",
        "Acme wins",
        "The Paper",
        "About acme",
        "<https://www.google.com/url?rct=j&sa=t&url=https://news.example/3&ct=ga>",
        "",
        "- - -",
        "Unsubscribe: <https://www.google.com/alerts/remove>",
      ].join("\r\n"),
    );
    server.mails = numbered(bare, text);
    const { items, problem } = (await read()).read;
    expect(problem).toBeUndefined();
    expect(items.map(({ title, url }) => [title, url])).toEqual([
      ["Acme wins 1", "https://news.example/1"],
      ["Acme wins 2", "https://news.example/2"],
      ["Acme wins", "https://news.example/3"],
    ]);
    expect(items[0]?.body).toEqual({ text: expect.stringContaining("About acme & 1") });
    expect(items[0]?.body).not.toEqual({ text: expect.stringContaining("irrelevant") });
  });

  test.each([
    "javascript:alert(1)",
    "file:///etc/passwd",
    "//evil.example",
    "",
    `https://x.example/${"a".repeat(3_000)}`,
  ])("links to %s are no entries", async (url) => {
    server.mails = numbered(googleAlert([{ ...alert(1), url }]));
    const { items, problem } = (await read()).read;
    expect(problem).toBeUndefined();
    expect(items.filter(({ scope }) => scope === "google-alerts")).toEqual([]);
  });

  test("of somebody who only looks like Google are one mail", async () => {
    const forged = googleAlert([alert(1)], { From: "googlealerts-noreply@google.com <x@evil.example>" });
    server.mails = numbered(forged);
    expect((await read()).read.items).toMatchObject([{ scope: "mail", author: "x@evil.example" }]);
  });
});

describe("what is wrong is said in words", () => {
  const failing = (more: object = {}) => {
    const { settings, ...rest } = feed;
    return read({}, { ...rest, settings: { ...settings, ...more } as typeof settings });
  };
  test.each([
    [
      "a wrong password",
      { imap: { ...imap, folder: "INBOX", password: "no" } },
      /refuses the login \(Invalid credentials\); many servers want an app password/,
    ],
    [
      "a folder that there is not",
      { imap: { ...imap, folder: "Press" } },
      /does not open the folder "Press"/,
    ],
    [
      "nothing at the port",
      { imap: { ...imap, folder: "INBOX", port: 9 } },
      /nothing answers at this address/,
    ],
    [
      "an address inside",
      { allowPrivateAddress: false, imap: { ...imap, folder: "INBOX", encryption: "tls" } },
      /allowPrivateAddress: true at the feed allows that/,
    ],
    ["no encryption elsewhere", { allowPrivateAddress: false }, /without encryption only/],
    [
      "no encryption where it is wanted",
      { imap: { ...imap, folder: "INBOX", encryption: "starttls" } },
      /STARTTLS/,
    ],
  ])("%s", async (_name, more, words) => {
    await expect(failing(more)).rejects.toThrow(words);
    await expect(failing(more)).rejects.not.toThrow(/secret word/);
  });

  test.each([
    [
      "refuses to search",
      (command: string, tag: string) => (/SEARCH/.test(command) ? `${tag} NO busy\r\n` : undefined),
    ],
    [
      "sends garbage",
      (command: string) => (/SEARCH/.test(command) ? "* )(((\r\n\0\0\r\n* 5 FETCH (UID\r\n" : undefined),
    ],
    [
      "sends a literal of 4 GB",
      (command: string) =>
        /ENVELOPE/.test(command) ? "* 1 FETCH (UID 10 BODY[] {4000000000}\r\nx" : undefined,
    ],
    [
      "says goodbye",
      (command: string) => (/EXAMINE/.test(command) ? "* BYE too many connections\r\n" : undefined),
    ],
  ])("a server that %s", async (_name, fault) => {
    server.mails = numbered(mail({}, "x"));
    server.fault = fault;
    const failed = await read().then(
      ({ read: { problem } }) => problem ?? "nothing",
      (error: Error) => `${error.name}: ${error.message}`,
    );
    expect(failed).toMatch(/^(?:FeedError: .{10,}|mail number 10 cannot be read: .+)$/);
  });

  test("no IMAP server at all", async () => {
    server.greeting = "220 smtp.example ESMTP";
    await expect(read()).rejects.toThrow();
  });
});
