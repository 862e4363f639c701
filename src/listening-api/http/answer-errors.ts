import type { Socket } from "node:net";
import type { FastifyError, FastifyInstance, FastifyReply } from "fastify";
import { describeError } from "../../lib/errors.ts";
import { ApiError, type ErrorBody, type ErrorsBody, errorsBody } from "../parameters/api-error.ts";
import type { LocalApiLog } from "./local-api-context.ts";

/**
 * Turns everything that is thrown into an answer. Details of our own failures never reach the caller, and no query
 * string reaches the log: it may carry an access token. `shape`: the envelope for faults of a request.
 */
export function answerErrors(
  app: FastifyInstance,
  log: LocalApiLog,
  shape: (message: string) => ErrorsBody | ErrorBody = errorsBody,
): void {
  app.setErrorHandler<FastifyError | ApiError>((error, request, reply) => {
    if (error instanceof ApiError) return reply.code(error.status).headers(error.headers).send(error.body);
    const status = "statusCode" in error ? (error.statusCode ?? 500) : 500;
    if (status >= 400 && status < 500) return reply.code(status).send(shape(describeRefusal(error)));
    log.error(
      { method: request.method, path: request.routeOptions.url, fault: describeError(error) },
      "local API failed to answer",
    );
    return reply
      .code(500)
      .send({ error: "internal_error", error_description: "The request could not be answered." });
  });
}

/** For requests that never reach a route, such as those whose address cannot be decoded. */
export function answerFrameworkError(error: FastifyError, _request: unknown, reply: FastifyReply): void {
  reply.code(error.statusCode ?? 400).send(errorsBody(describeRefusal(error)));
}

/** Describes a fault that the HTTP layer found, with what was expected. */
function describeRefusal(error: FastifyError): string {
  return SENTENCES[error.code] ?? error.message;
}

const NO_JSON = "body: expected JSON, got something that cannot be read as JSON.";

const SENTENCES: Readonly<Record<string, string>> = {
  FST_ERR_CTP_INVALID_JSON_BODY: NO_JSON,
  FST_ERR_CTP_EMPTY_JSON_BODY: "body: expected JSON, got nothing.",
  FST_ERR_CTP_BODY_TOO_LARGE: "body: it is larger than this call takes.",
  FST_ERR_CTP_INVALID_MEDIA_TYPE:
    "content-type: expected one that this call takes, such as application/json.",
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: "content-length: expected the length of the body.",
  FST_ERR_BAD_URL: "The path cannot be decoded: expected percent-encoded UTF-8.",
};

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
