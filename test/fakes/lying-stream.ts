import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";

export interface LyingStream {
  readonly url: string;
  /** Every connection so far, with what it asked for. */
  readonly connections: readonly { readonly socket: Socket; readonly request: string }[];
  /** Connections that the other side has not ended. */
  count(): number;
  close(): Promise<void>;
}

/** A server for WebSockets that sends what its script wants, byte by byte: nothing here keeps to the standard by itself. */
export async function startLyingStream(
  script: (socket: Socket, request: string) => unknown,
): Promise<LyingStream> {
  const open = new Set<Socket>();
  const all = new Set<Socket>();
  const connections: { socket: Socket; request: string }[] = [];
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    all.add(socket);
    open.add(socket);
    socket.setNoDelay(true);
    for (const name of ["end", "close"]) socket.on(name, () => open.delete(socket));
    socket.on("error", () => {});
    let request = "";
    socket.on("data", function read(chunk) {
      request += chunk.toString("latin1");
      if (!request.includes("\r\n\r\n")) return;
      socket.removeListener("data", read);
      connections.push({ socket, request });
      socket.resume();
      script(socket, request);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    url: `ws://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`,
    connections,
    count: () => open.size,
    async close() {
      for (const socket of all) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** The answer that opens a stream. */
export function handshake(request: string, more: readonly string[] = []): string {
  const key = /^sec-websocket-key: *(\S+)/im.exec(request)?.[1] ?? "";
  const accept = createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
  const lines = ["Upgrade: websocket", "Connection: Upgrade", `Sec-WebSocket-Accept: ${accept}`, ...more];
  return `HTTP/1.1 101 Switching Protocols\r\n${lines.map((line) => `${line}\r\n`).join("")}\r\n`;
}

export const OPCODE = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 };

/** One frame; `declares` is the length that it says to have. */
export function frame(
  opcode: number,
  payload: string | Buffer = "",
  {
    fin = true,
    reserved = 0,
    mask = false,
    declares,
  }: { fin?: boolean; reserved?: number; mask?: boolean; declares?: number | bigint } = {},
): Buffer {
  const bytes = Buffer.from(payload);
  const length = declares ?? bytes.length;
  const masked = mask ? 0x80 : 0;
  const first = (fin ? 0x80 : 0) | (reserved << 4) | opcode;
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
  head[0] = first;
  if (length < 126) head[1] = masked | Number(length);
  else if (length < 65_536) {
    head[1] = masked | 126;
    head.writeUInt16BE(Number(length), 2);
  } else {
    head[1] = masked | 127;
    head.writeBigUInt64BE(BigInt(length), 2);
  }
  // A key of zeros leaves the payload as it is.
  return Buffer.concat([head, mask ? Buffer.alloc(4) : Buffer.alloc(0), bytes]);
}

/** A close frame with any code, also those that may not be sent. */
export function closeFrame(code: number, reason = ""): Buffer {
  const bytes = Buffer.alloc(2 + Buffer.byteLength(reason));
  bytes.writeUInt16BE(code);
  bytes.write(reason, 2);
  return frame(OPCODE.close, bytes);
}

/** Writes the same bytes for as long as the other side reads, as fast as it does. Ends with the connection. */
export async function flood(socket: Socket, bytes: Buffer | (() => Buffer)): Promise<void> {
  while (!socket.destroyed) {
    const isTaken = socket.write(typeof bytes === "function" ? bytes() : bytes);
    if (!isTaken) await Promise.race([once(socket, "drain"), once(socket, "close")]).catch(() => {});
    else await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Writes one byte after the other, again from the first after the last; or once, and then ends its side. */
export function drip(
  socket: Socket,
  bytes: Buffer | string,
  everyMs: number,
  { isOnce = false }: { isOnce?: boolean } = {},
): void {
  const all = Buffer.from(bytes);
  let at = 0;
  const timer = setInterval(() => {
    if (isOnce && at === all.length) {
      clearInterval(timer);
      socket.end();
    } else if (socket.destroyed) clearInterval(timer);
    else socket.write(all.subarray(at % all.length, (at % all.length) + 1));
    at++;
  }, everyMs);
  socket.on("close", () => clearInterval(timer));
}
