import type { Socket } from "node:net";
import { deflateRawSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import {
  openStream,
  STREAM_LIMITS,
  type StreamEnd,
  type StreamLimits,
} from "../../src/feeds/run/open-stream.ts";
import {
  closeFrame,
  drip,
  flood,
  frame,
  handshake,
  type LyingStream,
  OPCODE,
  startLyingStream,
} from "../fakes/lying-stream.ts";

const { continuation, text, binary, ping, pong } = OPCODE;
const servers: LyingStream[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

/** Reads what a server sends until the end, which every lie must have. */
async function read(
  script: (socket: Socket, request: string) => unknown,
  {
    isCompressed = false,
    most = Number.POSITIVE_INFINITY,
    ...limits
  }: Partial<StreamLimits> & {
    isCompressed?: boolean;
    most?: number;
  } = {},
): Promise<{ frames: string[]; end: StreamEnd | null; largest: number; opened: number }> {
  const server = await startLyingStream(script);
  servers.push(server);
  const stream = openStream(server.url, {
    ...{ userAgent: "Earshot/test", allowPrivateAddress: true, isCompressed },
    limits: { ...STREAM_LIMITS, batchMs: 10, silentMs: 100, handshakeMs: 300, ...limits },
  });
  const frames: string[] = [];
  let [end, largest]: [StreamEnd | null, number] = [null, 0];
  while (end === null && frames.length < most) {
    const batch = await stream.take();
    frames.push(...batch.frames);
    end = batch.end;
    largest = Math.max(
      largest,
      batch.frames.reduce((sum, { length }) => sum + length, 0),
    );
  }
  stream.close();
  return { frames, end, largest, opened: server.connections.length };
}

/** Opens the stream as it should be, and sends these bytes. */
const sends =
  (...parts: readonly (Buffer | string)[]) =>
  (socket: Socket, request: string): void => {
    socket.write(Buffer.concat([Buffer.from(handshake(request)), ...parts.map((part) => Buffer.from(part))]));
  };

describe("frames that are none", () => {
  const good = frame(text, "good");
  test.each<[string, Buffer]>([
    ["a continuation without a beginning", frame(continuation, "x")],
    ["a second beginning", Buffer.concat([frame(text, "a", { fin: false }), frame(text, "b")])],
    ["a reserved bit", frame(text, "x", { reserved: 1 })],
    ["compressed although that was not agreed", frame(text, "x", { reserved: 4 })],
    ["a reserved opcode for data", frame(3, "x")],
    ["a reserved opcode for control", frame(11, "x")],
    ["masked by the server", frame(text, "x", { mask: true })],
    ["a ping of 126 bytes", frame(ping, "x".repeat(126))],
    ["a ping in two parts", frame(ping, "x", { fin: false })],
    ["text that is not UTF-8", frame(text, Buffer.from([0xc3, 0x28]))],
    ["half a surrogate pair as UTF-8", frame(text, Buffer.from([0xed, 0xa0, 0x80]))],
    ["a length of 2^63", frame(text, "x", { declares: 2n ** 63n })],
    ["a close code that may not be sent", closeFrame(1006)],
    ["a close code out of range", closeFrame(65_535)],
    ["a close frame of one byte", frame(OPCODE.close, "x")],
    ["a close reason that is not UTF-8", frame(OPCODE.close, Buffer.from([3, 0xe8, 0xff]))],
  ])("%s", async (_name, bytes) => {
    const { frames, end } = await read(sends(good, bytes, good));
    expect(frames).toEqual(["good"]);
    expect(end).toMatchObject({ reason: "ended", problem: expect.stringMatching(/^\P{Cc}{10,200}$/u) });
  });

  test.each<[string, Buffer | string]>([
    ["of 1 GB", frame(text, "x", { declares: 1_000_000_000n })],
    ["of 1 MB and a byte", frame(text, "x".repeat(1_000_001))],
    [
      "of parts without end",
      Buffer.concat([
        frame(text, "x", { fin: false }),
        ...Array.from({ length: 40 }, () => frame(continuation, "x".repeat(60_000), { fin: false })),
      ]),
    ],
  ])("a frame %s is refused before it is held", async (_name, bytes) => {
    const { end } = await read(sends(good, bytes));
    expect(end).toMatchObject({ reason: "frame too large" });
  });

  test("parts of no length without end", async () => {
    const part = frame(continuation, "", { fin: false });
    const { end } = await read(sends(frame(text, "", { fin: false }), ...Array(40_000).fill(part)));
    expect(end?.reason).toBe("ended");
  });

  test.each([1000, 1001, 1005, 1012, 3000, 4999])(
    "the close code %i, with text for a terminal",
    async (code) => {
      const bytes = code === 1005 ? frame(OPCODE.close) : closeFrame(code, "bye\0\x1b[2J\u202e\nnow");
      const { frames, end } = await read(sends(good, bytes, good));
      expect(frames).toEqual(["good"]);
      expect(end?.problem).toContain(`code ${code}`);
      expect(end?.problem).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    },
  );

  test("frames in the packet of the handshake, a byte at a time, or in many parts, are read", async () => {
    const inParts = [
      frame(text, "a", { fin: false }),
      frame(ping, "between"),
      frame(continuation, "b", { fin: false }),
      frame(continuation, "", { fin: true }),
    ];
    const all = Buffer.concat([good, ...inParts, closeFrame(1000)]);
    const ended = { reason: "ended", problem: "it ended the stream (code 1000)" };
    const at = await read(sends(all));
    expect(at.frames).toEqual(["good", "ab"]);
    expect(at.end).toMatchObject(ended);
    const dripped = await read(
      (socket, request) => {
        socket.write(handshake(request));
        drip(socket, all, 1, { isOnce: true });
      },
      { silentMs: 30_000 },
    );
    expect(dripped.end).toMatchObject(ended);
    expect(dripped.frames).toEqual(["good", "ab"]);
  });
});

describe("handshakes that lie", () => {
  const answers = (bytes: string | ((request: string) => string)) => (socket: Socket, request: string) => {
    socket.write(typeof bytes === "string" ? bytes : bytes(request));
  };
  test.each<[string, (socket: Socket, request: string) => unknown, RegExp]>([
    [
      "a wrong key",
      answers((request) => handshake(request).replace(/Accept: ./, "Accept: _")),
      /connection failed/,
    ],
    ["no upgrade", answers("HTTP/1.1 101 Switching\r\nConnection: close\r\n\r\n"), /./],
    [
      "a protocol that nobody asked for",
      answers((request) => handshake(request, ["Sec-WebSocket-Protocol: x"])),
      /./,
    ],
    [
      "an extension that nobody asked for",
      answers((request) => handshake(request, ["Sec-WebSocket-Extensions: permessage-deflate"])),
      /./,
    ],
    ["no HTTP", answers("\0\x01\x02\r\n\r\n".repeat(100)), /./],
    ["headers without end", (socket) => flood(socket, Buffer.from("X-Long: yes\r\n".repeat(1_000))), /./],
    [
      "headers without end, slowly",
      (socket) => {
        socket.write("HTTP/1.1 101 Switching Protocols\r\n");
        drip(socket, "X-Slow: yes\r\n", 20);
      },
      /did not open the stream within 0.3 s/,
    ],
    [
      "interim answers without end",
      (socket) => flood(socket, Buffer.from("HTTP/1.1 102 Processing\r\n\r\n".repeat(100))),
      /./,
    ],
    ["nothing at all", () => {}, /did not open the stream within 0.3 s/],
    [
      "a refusal whose words never end",
      (socket) => {
        socket.write("HTTP/1.1 503 No\r\nRetry-After: 7\r\nContent-Length: 1000000\r\n\r\n");
        drip(socket, "x", 20);
      },
      /the server fails \(status 503\)/,
    ],
  ])("%s", async (_name, script, words) => {
    const { frames, end, opened } = await read(script);
    expect(frames).toEqual([]);
    expect(end?.problem).toMatch(words);
    expect(opened).toBe(1);
    if (words.source.includes("503")) expect(end?.retryAfter).toBe("7");
  });

  test.each([301, 302, 307, 308])(
    "a redirect (%i) into a private network is not followed",
    async (status) => {
      const trap = await startLyingStream(() => {});
      servers.push(trap);
      const location = trap.url.replace("ws:", "http:");
      const { end } = await read((socket) => {
        socket.end(`HTTP/1.1 ${status} Go\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`);
      });
      expect(end).toMatchObject({ reason: "refused", problem: expect.stringContaining("redirects") });
      expect(trap.connections).toEqual([]);
    },
  );
});

describe("a server that keeps a connection busy for nothing is left", () => {
  const opens = (then: (socket: Socket) => unknown) => (socket: Socket, request: string) => {
    socket.write(handshake(request));
    then(socket);
  };
  const many = (one: Buffer) => Buffer.concat(Array<Buffer>(1_000).fill(one));
  test.each<[string, Buffer]>([
    ["pings", frame(ping, "x".repeat(125))],
    ["pongs", frame(pong)],
    ["binary frames", frame(binary, "x")],
    ["empty pings", frame(ping)],
  ])("%s without end", async (_name, one) => {
    // Not even the silence that follows would end it within a minute.
    const { end } = await read(
      opens((socket) => flood(socket, many(one))),
      { silentMs: 20_000 },
    );
    expect(end?.reason).toBe("ended");
  });

  test("pings without end, and it never reads an answer", async () => {
    const { end } = await read(
      opens((socket) => {
        socket.pause();
        return flood(socket, many(frame(ping, "x".repeat(125))));
      }),
      { silentMs: 20_000 },
    );
    expect(end?.reason).toBe("ended");
  });

  test("a frame of which a byte comes now and then", async () => {
    const { end } = await read(opens((socket) => drip(socket, frame(text, "x".repeat(100_000)), 20)));
    expect(end?.reason).toBe("silent");
  });

  test("a close frame, and the connection stays", async () => {
    const { end } = await read(opens((socket) => socket.write(closeFrame(1000))));
    expect(end?.problem).toContain("code 1000");
  });
});

describe("a server that floods", () => {
  test("waits while a batch is stored, and no batch is larger than what is read at once", async () => {
    const frames = Buffer.concat(Array<Buffer>(500).fill(frame(text, "x".repeat(1_000))));
    let written = 0;
    const server = await startLyingStream((socket, request) => {
      socket.write(handshake(request));
      return flood(socket, () => {
        written += frames.length;
        return frames;
      });
    });
    servers.push(server);
    const stream = openStream(server.url, {
      ...{ userAgent: "Earshot/test", allowPrivateAddress: true, isCompressed: false },
      limits: STREAM_LIMITS,
    });
    let before = -1;
    for (let batch = 0; batch < 5; batch++) {
      // Whoever stores a batch takes his time: the server is not read meanwhile.
      const isWaiting = () => {
        const isSame = before === written;
        before = written;
        return isSame;
      };
      await expect.poll(isWaiting, { interval: 100, timeout: 10_000 }).toBe(true);
      const { frames: taken } = await stream.take();
      const length = taken.reduce((sum, one) => sum + one.length, 0);
      expect(length).toBeGreaterThan(0);
      expect(length).toBeLessThanOrEqual(1_600_000);
    }
    // What two systems keep for a connection, and not what the server would like to send.
    expect(written).toBeLessThan(60_000_000);
    stream.close();
  });

  test("large frames make small batches", async () => {
    const { largest } = await read(
      (socket, request) => {
        socket.write(handshake(request));
        return flood(socket, frame(text, "x".repeat(999_000)));
      },
      { most: 20 },
    );
    expect(largest).toBeLessThanOrEqual(1_600_000);
  });

  test("what unpacks to a thousand times its size is refused, also as many frames in one packet", async () => {
    const packed = (length: number) =>
      frame(text, deflateRawSync(Buffer.alloc(length, "x"), { finishFlush: 2 }).subarray(0, -4), {
        reserved: 4,
      });
    const deflates = (bytes: Buffer) => (socket: Socket, request: string) => {
      socket.write(
        Buffer.concat([
          Buffer.from(handshake(request, ["Sec-WebSocket-Extensions: permessage-deflate"])),
          bytes,
        ]),
      );
    };
    const one = await read(deflates(packed(100_000_000)), { isCompressed: true });
    expect(one.end?.reason).toBe("frame too large");
    const bytes = Buffer.concat(Array<Buffer>(60).fill(packed(990_000)));
    expect(bytes.length).toBeLessThan(65_536);
    const server = await startLyingStream(deflates(bytes));
    servers.push(server);
    const stream = openStream(server.url, {
      ...{ userAgent: "Earshot/test", allowPrivateAddress: true, isCompressed: true },
      limits: STREAM_LIMITS,
    });
    // Nobody takes what comes: it is left while it is unpacked.
    await expect.poll(() => [server.connections.length, server.count()], { timeout: 10_000 }).toEqual([1, 0]);
    let [length, end]: [number, StreamEnd | null] = [0, null];
    while (end === null) {
      const batch = await stream.take();
      length += batch.frames.reduce((sum, one) => sum + one.length, 0);
      end = batch.end;
    }
    expect(length).toBeLessThanOrEqual(8_000_000);
    expect(end.problem).toContain("more than 8 MB in one packet");
  });
});
