import type { Socket } from "node:net";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { DAY, HOUR } from "../../src/lib/instant.ts";
import type { JsonObject } from "../../src/lib/json.ts";
import { fetchOnce, plannedOf } from "../contracts/feed.ts";
import { type FakeMail, mail, startImap } from "../fakes/imap.ts";
import { drip, flood } from "../fakes/lying-stream.ts";

const server = await startImap();
afterAll(server.close);
const { host, port, user, password } = server;
const imap = { host, port, user, password, encryption: "none" };
const feed = plannedOf({ kind: "mailbox", imap });
const received = systemClock.now() - HOUR;
const numbered = (...uids: readonly number[]): FakeMail[] =>
  uids.map((uid) => ({ uid, source: mail({ "Message-ID": `<${uid}@x>` }, `${uid}`), receivedAt: received }));

beforeEach(() => {
  Object.assign(server, {
    ...{ mails: numbered(10, 11), validity: 7, fault: undefined, greeting: "* OK ready", sent: 0 },
    ...{ onConnect: undefined, capabilities: "IMAP4rev1", uidNext: undefined },
  });
  server.commands.length = 0;
});

/** One reading, with little patience. */
async function read(state: JsonObject = {}, { of = feed, timeoutMs = 300, now = systemClock.now() } = {}) {
  return fetchOnce(of, state, { timeoutMs, now });
}

/** What is wrong, in words: of the whole reading, or of one mail. */
async function problemOf(how: Parameters<typeof read>[1] = {}): Promise<string> {
  return read({}, how).then(
    ({ read: { problem } }) => problem ?? "nothing",
    (error: Error) => `${error.name}: ${error.message}`,
  );
}

const IN_WORDS = /^(?:FeedError: |mail number 10 cannot be read: )\P{Cc}{10,300}$/u;
/** Only for commands like this one. */
const at =
  (wanted: RegExp, then: (tag: string, socket: Socket) => string | null) =>
  (command: string, tag: string, socket: Socket) =>
    wanted.test(command) ? then(tag, socket) : undefined;
const floods = (socket: Socket, line: string): null => {
  void flood(socket, Buffer.from(line.repeat(Math.ceil(60_000 / line.length))));
  return null;
};

describe("answers that are none end with a sentence", () => {
  test.each<[string, string]>([
    ["a literal of 1 GB", "* 1 FETCH (UID 10 BODY[]<0> {999999999}\r\nx"],
    ["a literal of 30 digits", `* 1 FETCH (UID 10 BODY[]<0> {${"9".repeat(30)}}\r\nx`],
    ["a literal that stops in the middle", "* 1 FETCH (UID 10 BODY[]<0> {900000}\r\nx"],
    ["a line of 5 MB", `* OK ${"x".repeat(5_000_000)}`],
    ["a thousand levels", `* 1 FETCH ${"(".repeat(10_000)}\r\nTAG NO [ALERT] no\0\x1b[2J\u202e\r\n`],
    ["200,000 values", `* 1 FETCH (${"1 ".repeat(200_000)})\r\nTAG BAD no\r\n`],
    ["nothing", ""],
    ["goodbye", "* BYE \0\x1b[2Jlater\r\n"],
  ])("%s", async (_name, text) => {
    server.fault = at(/BODY/, (tag) => text.replaceAll("TAG", tag));
    expect(await problemOf()).toMatch(IN_WORDS);
  });

  test.each<[string, string]>([
    ["a negative literal", "* 1 FETCH (UID 10 BODY[]<0> {-5}\r\nTAG OK done\r\n"],
    ["a literal that is no number", "* 1 FETCH (UID 10 BODY[]<0> {x}\r\nTAG OK done\r\n"],
    ["no body", "* 1 FETCH (UID 10)\r\nTAG OK done\r\n"],
    ["another mail", "* 2 FETCH (UID 99 BODY[]<0> {4}\r\nevil)\r\nTAG OK done\r\n"],
    [
      "a literal of 5 bytes, and 500 come",
      `* 1 FETCH (UID 10 BODY[]<0> {5}\r\n${"x".repeat(500)})\r\nTAG OK done\r\n`,
    ],
  ])("%s is a mail without the right text; the next one is read", async (_name, text) => {
    server.fault = at(/FETCH 10 .*BODY/, (tag) => text.replaceAll("TAG", tag));
    const { read: found } = await read();
    expect(found.items.map(({ id }) => id)).toEqual(["<10@x>", "<11@x>"]);
    expect(JSON.stringify(found.items)).not.toContain("evil");
    expect(found.items[1]?.body).toEqual({ text: "11" });
  });

  test("answers to other tags end the connection, or are not taken for ours", async () => {
    server.fault = at(
      /BODY/,
      (tag) => `ZZZ OK done\r\n* 1 FETCH (UID 99 BODY[]<0> {4}\r\nevil)\r\n${tag} OK done\r\n`,
    );
    const found = await read().catch((error: Error) => error.message);
    expect(JSON.stringify(found)).not.toContain("evil");
  });

  test("mails that nobody asked for are not taken for the one that was", async () => {
    server.fault = at(
      /FETCH 10 .*ENVELOPE/,
      (tag) =>
        `* 9 FETCH (UID 999 ENVELOPE (NIL "evil" NIL NIL NIL NIL NIL NIL NIL "<evil@x>"))\r\n${tag} OK done\r\n`,
    );
    const { items } = (await read()).read;
    expect(items.map(({ id }) => id)).toEqual(["<11@x>"]);
  });
});

describe("a server without an end is left in time, and other feeds have their turn", () => {
  test.each<[string, () => void]>([
    [
      "a greeting that never ends",
      () => {
        server.onConnect = (socket) => drip(socket, "* OK hello ", 20);
      },
    ],
    [
      "a byte now and then",
      () => {
        server.fault = at(/BODY/, (_tag, socket) => {
          drip(socket, "* 1 FETCH (UID 10 BODY[]<0> {900000}\r\nx", 20);
          return null;
        });
      },
    ],
    [
      "a line now and then",
      () => {
        server.fault = at(/SEARCH/, (_tag, socket) => {
          const timer = setInterval(() => socket.write("* OK still looking\r\n"), 20);
          socket.on("close", () => clearInterval(timer));
          return null;
        });
      },
    ],
    [
      "a command that is answered with patience",
      () => {
        server.fault = at(
          /BODY/,
          (tag) => `${tag} BAD Request is throttled. Suggested Backoff Time: 3600000 ms\r\n`,
        );
      },
    ],
  ])("%s", async (_name, set) => {
    set();
    expect(await problemOf()).toMatch(/it was not done within 1 s|stopped answering|no IMAP server/);
  });

  test.each<[string, RegExp, string]>([
    ["untagged answers", /SEARCH/, `* OK ${"x".repeat(1_000)}\r\n`],
    [
      "numbers of mails",
      /SEARCH/,
      `* SEARCH ${Array.from({ length: 9_000 }, (_, n) => n + 1).join(" ")}\r\n`,
    ],
    ["folders", /LIST/, '* LIST () "/" x\r\n'],
    ["capabilities", /CAPABILITY/, "* CAPABILITY IMAP4rev1 X\r\n"],
    ["counts", /EXAMINE/, "* 4294967295 EXISTS\r\n"],
    ["mails", /BODY/, `* 1 FETCH (UID 10 BODY[]<0> {50000}\r\n${"x".repeat(50_000)})\r\n`],
  ])("%s without end", async (_name, wanted, line) => {
    server.fault = at(wanted, (_tag, socket) => floods(socket, line));
    expect(await problemOf({ timeoutMs: 20_000 })).toContain("it sends more than it was asked for");
  });

  test("a mail that does not come in time is left out after three times, and those before it are kept", async () => {
    server.fault = at(/FETCH 11 .*BODY/, (_tag, socket) => {
      drip(socket, "* 2 FETCH (UID 11 BODY[]<0> {900000}\r\nx", 20);
      return null;
    });
    const ids: string[] = [];
    let state: JsonObject = {};
    for (let round = 0; round < 4; round++) {
      if (round === 3) server.mails.push(...numbered(12));
      const done = await read(state);
      ids.push(...done.read.items.map(({ id }) => id));
      state = done.state;
    }
    expect(ids).toEqual(["<10@x>", "<12@x>"]);
  });

  test("a new mailbox whose first mail cannot be read is not read from its beginning after that", async () => {
    server.mails = [
      { uid: 3, source: mail({}, "years ago"), receivedAt: received - 900 * DAY },
      ...numbered(10, 11),
    ];
    server.fault = at(/FETCH 10 .*BODY/, (tag) => `${tag} NO not now\r\n`);
    const { state } = await read();
    server.fault = undefined;
    const { items } = (await read(state)).read;
    expect(items.map(({ id }) => id)).toEqual(["<10@x>", "<11@x>"]);
  });
});

describe("numbers that cannot be true", () => {
  test.each([
    ["0", [10, 11]],
    ["4294967296 99999999999999999999 1e9 -3 2.5 x", [10, 11]],
    ["11 10 10 11 10", [10, 11]],
  ])("a search that finds %s", async (wrong, right) => {
    server.fault = at(/SEARCH/, (tag) => `* SEARCH ${wrong} 11 10\r\n${tag} OK done\r\n`);
    const { items } = (await read()).read;
    expect(items.map(({ id }) => id)).toEqual(right.map((uid) => `<${uid}@x>`));
  });

  test("a number far ahead does not hide the mails that come later", async () => {
    server.fault = at(/SEARCH/, (tag) => `* SEARCH 10 11 4294967295\r\n${tag} OK done\r\n`);
    const { state } = await read();
    server.fault = undefined;
    server.mails = numbered(10, 11, 12);
    const { items } = (await read(state)).read;
    expect(items.map(({ id }) => id)).toContain("<12@x>");
  });

  test("other numbers every time: all is read once, and then the newest of a day, with the reason", async () => {
    const many = Array.from({ length: 120 }, (_, n) => n + 1);
    server.mails = numbered(...many);
    server.fault = at(/EXAMINE/, () => {
      server.validity++;
      return undefined as never;
    });
    let { state } = await read({}, { timeoutMs: 20_000 });
    const rounds: { items: number; more: boolean; problem: string | undefined }[] = [];
    for (let round = 0; round < 4; round++) {
      const done = await read(state, { timeoutMs: 20_000 });
      const { items, more = false, problem } = done.read;
      rounds.push({ items: items.length, more, problem });
      state = done.state;
    }
    const unsteady = { items: 50, more: false, problem: expect.stringContaining("numbers its mails anew") };
    expect(rounds).toEqual([{ items: 50, more: true, problem: undefined }, unsteady, unsteady, unsteady]);
    // And back to normal when the numbers stay.
    server.fault = undefined;
    const calm = await read(state, { timeoutMs: 20_000, now: systemClock.now() + 2 * DAY });
    const after = await read(calm.state, { timeoutMs: 20_000, now: systemClock.now() + 2 * DAY });
    expect(after.read.problem).toBeUndefined();
  });

  test.each(["0", "4294967295", "99999999999999999999", "x"])("%s mails in the folder", async (count) => {
    server.fault = at(
      /EXAMINE/,
      (tag) => `* ${count} EXISTS\r\n* OK [UIDVALIDITY 7] x\r\n${tag} OK [READ-ONLY] x\r\n`,
    );
    const { items } = (await read()).read;
    expect(items.length).toBe(count === "0" ? 0 : 2);
  });

  test.each(["0", "x", "9".repeat(5_000)])("a UIDVALIDITY of %s", async (validity) => {
    server.fault = at(
      /EXAMINE/,
      (tag) => `* 2 EXISTS\r\n* OK [UIDVALIDITY ${validity}] x\r\n${tag} OK [READ-ONLY] x\r\n`,
    );
    const { state } = await read();
    expect(JSON.stringify(state).length).toBeLessThan(300);
    expect((await read(state)).read.items).toEqual([]);
  });
});

describe("STARTTLS", () => {
  const starttls = plannedOf({ kind: "mailbox", imap: { ...imap, encryption: "starttls" } });
  test.each<[string, () => void]>([
    ["is not offered", () => {}],
    [
      "is refused",
      () => {
        server.capabilities = "IMAP4rev1 STARTTLS";
      },
    ],
    [
      "is followed by answers in plain text",
      () => {
        server.capabilities = "IMAP4rev1 STARTTLS";
        server.fault = at(
          /STARTTLS/,
          (tag) => `${tag} OK go\r\n* CAPABILITY IMAP4rev1 AUTH=PLAIN\r\n* OK more\r\n`,
        );
      },
    ],
    [
      "is followed by answers in plain text a moment later",
      () => {
        server.capabilities = "IMAP4rev1 STARTTLS";
        server.fault = at(/STARTTLS/, (tag, socket) => {
          setImmediate(() => socket.write("* CAPABILITY IMAP4rev1\r\n"));
          return `${tag} OK go\r\n`;
        });
      },
    ],
    [
      "is made impossible by a greeting that says we are logged in",
      () => {
        server.greeting = "* PREAUTH welcome";
      },
    ],
    [
      "is said to be on already",
      () => {
        server.greeting = "* OK [CAPABILITY IMAP4rev1 AUTH=PLAIN LOGINDISABLED] ready";
      },
    ],
  ])("that %s: no password and no mail goes over the line", async (_name, set) => {
    set();
    expect(await problemOf({ of: starttls })).toMatch(IN_WORDS);
    expect(server.commands.filter((command) => /LOGIN|AUTHENTICATE|EXAMINE|FETCH/i.test(command))).toEqual(
      [],
    );
  });
});

test("a question in a login is refused when it is long; the line with the numbers of 20,000 mails is read", async () => {
  const started = process.cpuUsage();
  server.capabilities = "IMAP4rev1 AUTH=LOGIN";
  const question = Buffer.from(`${":".repeat(60_000)}x`).toString("base64");
  server.fault = at(/^AUTHENTICATE/, () => `+ ${question}\r\n`);
  expect(await problemOf({ timeoutMs: 10_000 })).toMatch(IN_WORDS);
  // The square of 60,000 takes four seconds.
  expect(process.cpuUsage(started).user / 1_000).toBeLessThan(1_500);

  server.capabilities = "IMAP4rev1";
  const uids = Array.from({ length: 20_000 }, (_, n) => n + 1).join(" ");
  server.fault = at(/^UID SEARCH/, (tag) => `* SEARCH ${uids}\r\n${tag} OK done\r\n`);
  expect((await read({}, { timeoutMs: 10_000 })).read.problem).toBeUndefined();
});
