import { createServer, type IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";

/** An event as it goes over the wire. `at` is its position in microseconds. */
export interface JetstreamEvent {
  readonly at: number;
  readonly frame: string | Buffer;
}

export interface Jetstream {
  /** A wss:// address would be the same with a certificate. */
  readonly url: string;
  /** What a new connection is sent from its cursor on. Positions need not rise. */
  readonly log: JetstreamEvent[];
  /** Adds to the log and sends to everybody who is connected. */
  emit(event: JetstreamEvent): void;
  /** Query parameters of every connection that was asked for. */
  readonly asked: URLSearchParams[];
  /** What happens to the next connections instead of being served, unless it answers "serve". */
  fault: ((request: IncomingMessage, socket: Duplex) => unknown) | undefined;
  /** Called with each served connection before its events. */
  onOpen: ((socket: WebSocket) => void) | undefined;
  readonly sockets: Set<WebSocket>;
  /** Everybody who is connected, those as well whose request is not read yet. */
  connections(): Promise<number>;
  close(): Promise<void>;
}

/** A small Jetstream (first version): it replays from the cursor, which it includes, and goes on live. */
export async function startJetstream(): Promise<Jetstream> {
  const server = createServer((_request, response) => response.writeHead(404).end());
  const upgrades = new WebSocketServer({ noServer: true, perMessageDeflate: true });
  const sockets = new Set<WebSocket>();
  const raw = new Set<Duplex>();
  const fake: Omit<Jetstream, "url"> = {
    log: [],
    asked: [],
    fault: undefined,
    onOpen: undefined,
    sockets,
    emit(event) {
      fake.log.push(event);
      for (const socket of sockets) socket.send(event.frame);
    },
    connections: () =>
      new Promise((resolve, reject) => {
        server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
      }),
    async close() {
      for (const socket of sockets) socket.terminate();
      for (const socket of raw) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
  server.on("upgrade", (request, socket, head) => {
    raw.add(socket);
    // Whoever asked may be killed.
    socket.on("error", () => {});
    socket.on("close", () => raw.delete(socket));
    const { searchParams } = new URL(request.url ?? "/", "ws://jetstream");
    fake.asked.push(searchParams);
    if (fake.fault !== undefined && fake.fault(request, socket) !== "serve") return;
    upgrades.handleUpgrade(request, socket, head, (opened) => {
      sockets.add(opened);
      opened.on("close", () => sockets.delete(opened));
      opened.on("error", () => {});
      fake.onOpen?.(opened);
      const cursor = searchParams.get("cursor");
      if (cursor === null) return;
      for (const { at, frame } of [...fake.log]) if (at >= Number(cursor)) opened.send(frame);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return Object.assign(fake, { url: `ws://127.0.0.1:${port}` });
}

/** An answer to a request for an upgrade that is no upgrade. */
export function refuse(status: number, body = "", headers: Readonly<Record<string, string>> = {}) {
  return (_request: IncomingMessage, socket: Duplex): void => {
    const lines = Object.entries({ "content-length": String(body.length), ...headers });
    socket.end(
      `HTTP/1.1 ${status} No\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}connection: close\r\n\r\n${body}`,
    );
  };
}

const DAY_US = 86_400_000_000;

/** Makes events whose positions rise from `from` by `step` microseconds. */
export function createEvents(from: number, step = 1_000) {
  let at = from - step;
  const next = (): number => {
    at += step;
    return at;
  };
  const event = (body: object, position = next()): JetstreamEvent => ({
    at: position,
    frame: JSON.stringify({ time_us: position, ...body }),
  });
  const commit = (did: string, rkey: string, more: object, position?: number): JetstreamEvent =>
    event(
      { did, kind: "commit", commit: { rev: rkey, collection: "app.bsky.feed.post", rkey, ...more } },
      position,
    );
  return {
    create: (did: string, rkey: string, text: string, record: object = {}, position?: number) =>
      commit(did, rkey, { operation: "create", cid: "bafy", record: recordOf(text, at, record) }, position),
    update: (did: string, rkey: string, text: string, position?: number) =>
      commit(did, rkey, { operation: "update", cid: "bafz", record: recordOf(text, at, {}) }, position),
    remove: (did: string, rkey: string, position?: number) =>
      commit(did, rkey, { operation: "delete" }, position),
    account: (did: string, active: boolean, status?: string) =>
      event({
        did,
        kind: "account",
        account: { active, did, seq: 1, ...(status === undefined ? {} : { status }) },
      }),
    identity: (did: string) =>
      event({ did, kind: "identity", identity: { did, handle: "ann.example", seq: 1 } }),
    raw: (frame: string | Buffer): JetstreamEvent => ({ at: next(), frame }),
    /** Nothing happens for this long. */
    pause: (us = DAY_US) => {
      at += us;
    },
  };
}

function recordOf(text: string, at: number, more: object) {
  return {
    $type: "app.bsky.feed.post",
    text,
    createdAt: new Date(Math.floor(at / 1_000)).toISOString(),
    langs: ["en"],
    ...more,
  };
}
