import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import fc from "fast-check";
import { sql } from "kysely";
import pg from "pg";
import { expect, test } from "vitest";
import { isTransient, TransientError } from "../../../src/lib/retry.ts";
import { openDatabase, openPool, READER_LIMITS } from "../../../src/monitor/store/database.ts";
import { classify } from "../../../src/monitor/store/driver.ts";
import { decideDiskSpace } from "../../../src/monitor/store/embedded/disk-space.ts";
import { createTestDatabase } from "../../postgres.ts";

test("a server that hangs up is a temporary failure, whatever the driver calls it", async () => {
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const pool = openPool({ url: `postgres://earshot@127.0.0.1:${port}/earshot`, onError: () => {} });
  try {
    const failures = [
      await pool.query("select 1").catch((error: unknown) => error),
      await pool.connect().catch((error: unknown) => error),
    ];
    expect(failures.map(isTransient)).toEqual([true, true]);
  } finally {
    await pool.end();
    server.close();
  }
  const ended: unknown = await pool.query("select 1").catch((error: unknown) => error);
  expect(ended).toMatchObject({ name: "TransientError", code: "ConnectionFailed" });
});

test("closing ends the pool, also where only the pool itself was asked, and may be done again", async () => {
  const { url, drop } = await createTestDatabase();
  const database = openDatabase({ url, onError: (error) => expect.fail(error.message) });
  const removed = once(database.pool, "remove");
  await database.pool.query("select 1");
  await database.close();
  await removed;
  await database.close();
  await drop();
});

test("what the server refuses is classified in the pool and on a connection of it; a mistake is not", async () => {
  const database = await createTestDatabase();
  const pool = openPool({ url: database.url, onError: () => {} });
  try {
    const failures = [
      await pool.query("select pg_terminate_backend(pg_backend_pid())").catch((error: unknown) => error),
      await pool.query("set statement_timeout = 1; select pg_sleep(9)").catch((error: unknown) => error),
      await pool.query("select 'carpool'::bigint").catch((error: unknown) => error),
    ];
    expect(failures).toMatchObject([
      { name: "TransientError", code: "ServerStopped" },
      { name: "TransientError", code: "Canceled" },
      { code: "22P02" },
    ]);
    expect(failures.map(isTransient)).toEqual([true, true, false]);
  } finally {
    await pool.end();
    await database.drop();
  }
});

test.each([
  ["08006", "ConnectionFailed"],
  ["08001", "NotConnected"],
  ["40001", "Conflict"],
  ["40P01", "Conflict"],
  ["53100", "OutOfResources"],
  ["53300", "OutOfResources"],
  ["55P03", "Locked"],
  ["57014", "Canceled"],
  ["57P01", "ServerStopped"],
  ["57P03", "ServerStopped"],
  ["58030", "SystemFault"],
  ["ECONNREFUSED", "ConnectionFailed"],
  ["ETIMEDOUT", "ConnectionFailed"],
])("%s is %s", (code, expected) => {
  expect(classify(refusal(code))).toMatchObject({ name: "TransientError", code: expected, retryable: true });
});

test.each(["22P02", "23505", "42P01", "XX000"])("%s is a fault of the work", (code) => {
  const error = refusal(code);
  expect(classify(error)).toBe(error);
  expect(isTransient(error)).toBe(false);
});

test("a temporary failure is found behind the error that it caused", () => {
  const cause = new TransientError("Locked", "the lock is held");
  expect(isTransient(new Error("a page was not stored", { cause }))).toBe(true);
  expect(isTransient(new Error("a page was not stored", { cause: new TypeError("no number") }))).toBe(false);
});

test("no word of a message makes a failure temporary", () => {
  const message = fc.constantFrom(
    'invalid input syntax for type bigint: "carpool"',
    "the connection ended badly for Acme",
    "timeout exceeded, says Ann",
  );
  fc.assert(
    fc.property(message, fc.constantFrom("", "22P02", "23505"), (text, code) => {
      const error = code === "" ? new Error(text) : refusal(code, text);
      expect(isTransient(classify(error))).toBe(false);
    }),
  );
});

function refusal(code: string, message = "refused"): Error {
  return Object.assign(new pg.DatabaseError(message, message.length, "error"), { code });
}

test("a full disk is named, with what to do", () => {
  const error = Object.assign(new Error('could not extend file "base/1/2": wrote only 4096 of 8192 bytes'), {
    code: "53100",
  });
  expect(classify(error)).toMatchObject({
    name: "TransientError",
    code: "OutOfResources",
    message: expect.stringMatching(/^the disk of the database is full: make room, .*could not extend file/),
  });
});

test("a new database is not begun on a disk that it would fill", () => {
  expect(decideDiskSpace(110 * 2 ** 20)).toEqual({ outcome: "TooLittle", freeMb: 110, neededMb: 250 });
  expect(decideDiskSpace(2 ** 30)).toEqual({ outcome: "Enough" });
});

/** Before the server's own, a pooler gives a client a process number of its own (message `K`). */
async function openPooler(serverPort: number) {
  const pooler = createServer((client) => {
    const server = connect(serverPort, "127.0.0.1");
    client.pipe(server);
    let isChanged = false;
    server.on("data", (data) => {
      const place = isChanged ? -1 : data.indexOf("4b0000000c", 0, "hex");
      if (place >= 0) {
        isChanged = true;
        data.writeInt32BE(data.readInt32BE(place + 5) + 1, place + 5);
      }
      client.write(data);
    });
    for (const socket of [client, server]) socket.on("error", () => {});
    server.on("close", () => client.end());
  }).listen(0, "127.0.0.1");
  await once(pooler, "listening");
  return pooler;
}

test.each([undefined, READER_LIMITS])(
  "moments and days are read, however the server writes them (limits %o)",
  async (limits) => {
    const database = await createTestDatabase();
    const url = new URL(database.url);
    url.searchParams.set("options", "-c datestyle=German -c timezone=Asia/Kolkata");
    const { db, close } = openDatabase({
      ...{ url: url.href, onError: () => {}, ...(limits !== undefined && { limits }) },
    });
    try {
      const { rows } = await sql`
      select timestamptz '2026-03-02T12:00:00.5Z' as at, date '2026-03-02' as day, '2026-03-02'::date::text as text
    `.execute(db);
      expect(rows).toEqual([
        { at: Date.parse("2026-03-02T12:00:00.5Z"), day: "2026-03-02", text: "2026-03-02" },
      ]);
    } finally {
      await close();
      await database.drop();
    }
  },
);

test("statements are planned once for a connection, and not behind a pooler, which may change the server's process", async () => {
  const database = await createTestDatabase();
  const pooler = await openPooler(Number(new URL(database.url).port));
  const behind = new URL(database.url);
  behind.port = String((pooler.address() as AddressInfo).port);
  behind.searchParams.delete("host");
  try {
    const planned: number[] = [];
    for (const url of [database.url, behind.href]) {
      const pool = openPool({ url, connections: 1, onError: () => {} });
      for (const number of [1, 2, 3]) await pool.query("select $1::int as number", [number]);
      const { rows } = await pool.query<{ n: number }>(
        "select count(*)::int as n from pg_prepared_statements",
      );
      planned.push(rows[0]?.n ?? 0);
      await pool.end();
    }
    expect(planned).toEqual([1, 0]);
  } finally {
    pooler.close();
    await database.drop();
  }
});
