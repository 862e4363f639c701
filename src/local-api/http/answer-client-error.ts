import type { Socket } from "node:net";
import { errorsBody } from "./api-error.ts";

/** For what arrives and is no HTTP request at all: there is no reply to fill in, so the answer is written by hand. */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, message] = ANSWERS[error.code ?? ""] ?? ["400 Bad Request", "expected an HTTP request."];
  const body = JSON.stringify(errorsBody(message));
  const head = [
    `HTTP/1.1 ${status}`,
    "content-type: application/json; charset=utf-8",
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n${body}`);
  // Both halves: a client that never closes its own would keep the connection.
  socket.destroySoon();
}

const ANSWERS: Readonly<Record<string, readonly [string, string]>> = {
  HPE_HEADER_OVERFLOW: [
    "431 Request Header Fields Too Large",
    "expected an address and headers of at most 16 kB together.",
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ["408 Request Timeout", "expected the whole request sooner."],
};
