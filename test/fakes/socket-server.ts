import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { Socket } from "node:net";

/** What goes wrong with an envelope, or with the socket that carries it. */
export type SocketFault =
  /** The socket breaks in the middle of the envelope. */
  | "cut"
  /** The server ends the socket in an orderly way, right behind the envelope. */
  | "closed"
  /** The server asks for another socket, right behind the envelope. */
  | "refreshed"
  /** From now on nothing comes over the socket, pongs neither, and nothing is read from it; it stays open. */
  | "silent"
  /** The envelope comes twice, over two sockets where two are open. */
  | "twice"
  /** The answer to the envelope gets lost. */
  | "unheard";

/** The other end of Socket Mode: as much of RFC 6455 as text, pings and an orderly end need. */
export interface SocketServer {
  readonly url: string;
  /** Sockets that are open at this moment, but for those that are silent. */
  count(): number;
  /** How many were opened in all. */
  opened(): number;
  /** Sends an envelope over the newest socket that is not silent. */
  send(envelope: object, fault?: SocketFault): void;
  /** Envelopes that were answered. */
  readonly answered: { readonly envelope_id: string }[];
  /** Breaks every socket without a word. */
  break(): void;
  close(): Promise<void>;
}

export async function startSocketServer(): Promise<SocketServer> {
  const sockets = new Set<Socket>();
  const silent = new WeakSet<Socket>();
  /** Envelopes of which one answer gets lost. */
  const unheard = new Set<string>();
  const answered: { envelope_id: string }[] = [];
  let opened = 0;
  const server = createServer();
  server.on("upgrade", (request, socket: Socket) => {
    const key = createHash("sha1")
      .update(`${request.headers["sec-websocket-key"] ?? ""}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
      .digest("base64");
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${key}\r\n\r\n`,
    );
    sockets.add(socket);
    opened += 1;
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => sockets.delete(socket));
    readFrames(socket, (opcode, payload) => {
      if (silent.has(socket)) return;
      if (opcode === TEXT) {
        const answer = JSON.parse(payload.toString()) as { envelope_id: string };
        if (!unheard.delete(answer.envelope_id)) answered.push(answer);
      }
      if (opcode === PING) socket.write(frame(PONG, payload));
      if (opcode === CLOSE) socket.end(frame(CLOSE, payload));
    });
    socket.write(frame(TEXT, Buffer.from(JSON.stringify({ type: "hello", num_connections: 1 }))));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `ws://127.0.0.1:${port}/link`,
    count: () => [...sockets].filter((socket) => !silent.has(socket)).length,
    opened: () => opened,
    send: (envelope, fault) => {
      const open = [...sockets].filter((socket) => !silent.has(socket));
      const [first, newest] = [open[0], open.at(-1)];
      if (first === undefined || newest === undefined) throw new Error("no socket is open");
      const whole = frame(TEXT, Buffer.from(JSON.stringify(envelope)));
      if (fault === "silent") return void silent.add(newest);
      if (fault === "cut")
        return void newest.write(whole.subarray(0, whole.length / 2), () => newest.destroy());
      if (fault === "unheard") unheard.add((envelope as { envelope_id: string }).envelope_id);
      newest.write(whole);
      if (fault === "twice") first.write(whole);
      if (fault === "refreshed") newest.write(frame(TEXT, Buffer.from(REFRESH)));
      if (fault === "closed") newest.end(frame(CLOSE, Buffer.from([1_000 >> 8, 1_000 & 0xff])));
    },
    answered,
    break: () => {
      for (const socket of sockets) socket.destroy();
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

const REFRESH = JSON.stringify({ type: "disconnect", reason: "refresh_requested" });

const TEXT = 1;
const CLOSE = 8;
const PING = 9;
const PONG = 10;

/** Servers do not mask. */
function frame(opcode: number, payload: Buffer): Buffer {
  const { length } = payload;
  const head =
    length < 126
      ? Buffer.from([0x80 | opcode, length])
      : Buffer.from([0x80 | opcode, 126, length >> 8, length & 0xff]);
  return Buffer.concat([head, payload]);
}

/** Clients always mask. Fragments are not put together: nothing here is that long. */
function readFrames(socket: Socket, onFrame: (opcode: number, payload: Buffer) => void): void {
  let buffer = Buffer.alloc(0);
  socket.on("data", (chunk: Buffer) => {
    buffer = Buffer.concat([buffer, chunk]);
    for (;;) {
      if (buffer.length < 2) return;
      const short = (buffer[1] ?? 0) & 0x7f;
      const start = short === 126 ? 4 : 2;
      if (buffer.length < start) return;
      const length = short === 126 ? buffer.readUInt16BE(2) : short;
      if (buffer.length < start + 4 + length) return;
      const mask = buffer.subarray(start, start + 4);
      const payload = Buffer.from(
        buffer.subarray(start + 4, start + 4 + length).map((byte, index) => byte ^ (mask[index % 4] ?? 0)),
      );
      const opcode = (buffer[0] ?? 0) & 0x0f;
      buffer = buffer.subarray(start + 4 + length);
      onFrame(opcode, payload);
    }
  });
}
