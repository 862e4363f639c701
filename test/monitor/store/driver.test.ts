import { createServer } from "node:net";
import fc from "fast-check";
import { expect, test } from "vitest";
import { isTransient } from "../../../src/lib/retry.ts";
import { openPool } from "../../../src/monitor/store/database.ts";

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
  expect(ended).toMatchObject({ code: "08006" });
});

test("no word of a message makes a failure temporary", () => {
  const message = fc.constantFrom(
    'invalid input syntax for type bigint: "carpool"',
    "the connection ended badly for Acme",
    "timeout exceeded, says Ann",
  );
  fc.assert(
    fc.property(message, fc.constantFrom(undefined, "22P02", "23505"), (text, code) => {
      expect(isTransient(Object.assign(new Error(text), code === undefined ? {} : { code }))).toBe(false);
    }),
  );
});
