import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { connect as connectTls } from "node:tls";
import { afterAll, expect, test } from "vitest";
import { boundHttpConnections } from "../../src/lib/listening.ts";
import { startTestConsole } from "../console/start-test-console.ts";
import { CERTIFICATE, CERTIFICATE_KEY } from "../fakes/certificate.ts";
import { startFixture } from "../listening-api/fixture.ts";
import { portOf } from "./hold-open.ts";
import { worstAnswerWhile } from "./worst-answer.ts";

// A packet of 64 kB holds 2,500 requests. Node begins all of them before anything else is done: twenty connections whose
// answers nobody read held the console for two seconds, and took 4 GB of the local Listening API.

const GET = "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
const closing: (() => unknown)[] = [];
afterAll(() => Promise.all(closing.map((close) => close())));

async function serve(answer: RequestListener, isSecure = false): Promise<() => Socket> {
  const tls = { key: CERTIFICATE_KEY, cert: CERTIFICATE };
  const server = isSecure ? createHttpsServer(tls, answer) : createServer(answer);
  boundHttpConnections(server, 100);
  await once(server.listen(0, "127.0.0.1"), "listening");
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as { port: number };
  return () => {
    const at = { port, host: "127.0.0.1" };
    const socket = isSecure ? connectTls({ ...at, rejectUnauthorized: false }) : connect(at);
    return socket.on("error", () => {});
  };
}

async function textFrom(socket: Socket): Promise<string> {
  let text = "";
  for await (const part of socket) text += part;
  return text;
}

test.each([false, true])("a packet of 2,000 requests begins few of them, TLS: %s", async (isSecure) => {
  let begun = 0;
  const open = await serve(() => begun++, isSecure);
  const socket = open();
  socket.write(GET.repeat(2_000));
  await textFrom(socket).catch(() => "");
  expect(begun).toBeGreaterThan(8);
  expect(begun).toBeLessThan(30);
});

test("requests that a program sends ahead are answered in their order, and new ones after them", async () => {
  const open = await serve(async ({ url }, response) => {
    await delay(url === "/0" ? 50 : 1);
    response.end(`<${url}>`);
  });
  const socket = open();
  const text = textFrom(socket);
  for (let round = 0; round < 3; round++) {
    socket.write(Array.from({ length: 8 }, (_, n) => GET.replace("/", `/${n}`)).join(""));
    await delay(300);
  }
  socket.end();
  const asked = Array.from({ length: 24 }, (_, n) => `</${n % 8}>`);
  expect((await text).match(/<.*?>/g)).toEqual(asked);
});

test.each([false, true])(
  "bodies come whole and in their order, in small pieces too, TLS: %s",
  async (isSecure) => {
    const open = await serve(async (request, response) => {
      let body = "";
      for await (const part of request) body += part;
      response.end(`<${body.length} ${body.slice(-20)}>`);
    }, isSecure);
    const text = `${"abcdefghij".repeat(100_000)}the very end`;
    const pieces = [...text.slice(-20_000)].map((letter) => `1\r\n${letter}\r\n`).join("");
    const post = "POST / HTTP/1.1\r\nHost: a\r\n";
    for (const body of [
      `content-length: ${text.length}\r\n\r\n${text}`,
      `transfer-encoding: chunked\r\n\r\n${pieces}0\r\n\r\n`,
    ]) {
      const socket = open();
      socket.write(`${post}${body}${post}Connection: close\r\ncontent-length: 4\r\n\r\nnext`);
      const length = body.startsWith("content") ? text.length : 20_000;
      expect((await textFrom(socket)).match(/<.*?>/g)).toEqual([
        `<${length} ${text.slice(-20)}>`,
        "<4 next>",
      ]);
    }
  },
);

test("who reads late gets all answers, of requests that came meanwhile as well", async () => {
  const open = await serve((_request, response) => response.end("x".repeat(3_000_000)));
  const socket = open();
  socket.pause();
  socket.write(GET.repeat(3));
  await delay(200);
  socket.write(`${GET.repeat(2)}${GET.replace("Host", `X: ${"y".repeat(2_000)}\r\nHost`)}`);
  await delay(200);
  socket.write(GET.replace("Host", "Connection: close\r\nHost"));
  expect((await textFrom(socket)).match(/x+/g)?.map(({ length }) => length)).toEqual(
    Array.from({ length: 7 }, () => 3_000_000),
  );
});

test("thousands of requests on twenty connections that read nothing hold up no probe", async () => {
  const web = await startTestConsole(Date.parse("2026-03-03T14:05:00Z"));
  const local = await startFixture();
  closing.push(web.close, local.stop);
  const localUrl = await local.api.app.listen({ host: "127.0.0.1", port: 0 });
  const before = process.memoryUsage().rss;
  const worst = await worstAnswerWhile(async () => {
    const sockets = [web.url, localUrl].flatMap((url) =>
      Array.from({ length: 20 }, () => connect({ port: portOf(url), host: "127.0.0.1" })),
    );
    for (const socket of sockets)
      socket
        .on("error", () => {})
        .pause()
        .write(GET.repeat(2_000));
    await delay(3_000);
    for (const socket of sockets) socket.destroy();
  }, `${web.url}/healthz`);
  expect(worst).toBeLessThan(500);
  expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000);
}, 60_000);
