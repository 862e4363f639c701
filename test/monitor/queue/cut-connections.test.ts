import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createLog } from "../../../src/lib/log.ts";
import { createBackend, migrateQueueSchema } from "../../../src/monitor/queue/backend.ts";
import { migrate } from "../../../src/monitor/store/migrate.ts";
import { ensureSiblingDatabase } from "../../../src/monitor/store/sibling-database.ts";

/** A server that takes a connection and cuts it at once, in one packet: nobody can have listened in between. */
let server: Server;
let url: string;
const uncaught: unknown[] = [];
const note = (error: unknown): void => void uncaught.push(error);

beforeAll(async () => {
  server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => socket.end(Buffer.concat([AUTHENTICATED, READY, TERMINATED])));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `postgres://earshot:secret@127.0.0.1:${(server.address() as AddressInfo).port}/earshot`;
  process.on("uncaughtException", note);
});
afterAll(() => {
  process.off("uncaughtException", note);
  server.close();
});

const packet = (type: string, body: Buffer): Buffer => {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
};
const AUTHENTICATED = packet("R", Buffer.from([0, 0, 0, 0]));
const READY = packet("Z", Buffer.from("I"));
const TERMINATED = packet("E", Buffer.from("SFATAL\0C57P01\0Mterminating connection\0\0"));

const PARTS: readonly (readonly [string, () => Promise<unknown>])[] = [
  [
    "a worker of the queue",
    async () => {
      const backend = createBackend(
        { kind: "postgres", url, schema: "earshot_queue" },
        createLog({ level: "silent" }),
      );
      const worker = backend.openWorker("poll", async () => {}, { autorun: false });
      await worker.waitUntilReady().finally(() => worker.close());
    },
  ],
  [
    "the migration of the queue",
    () => migrateQueueSchema({ kind: "postgres", url, schema: "earshot_queue" }),
  ],
  ["the migration of the tables", () => migrate(url)],
  ["the making of a database", () => ensureSiblingDatabase(url, "replay")],
];

test.each(PARTS)(
  "a connection that is cut as soon as it is there ends no process: %s",
  async (_part, begin) => {
    await expect(begin()).rejects.toThrow(/terminat|not queryable/);
    expect(uncaught).toEqual([]);
  },
);
