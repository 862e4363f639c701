import type { FastifyError, FastifyInstance, FastifyReply } from "fastify";
import { describeError } from "../../lib/errors.ts";
import type { LocalApiLog } from "../local-api-log.ts";
import { ApiError, type ErrorBody, type ErrorsBody, errorsBody } from "./api-error.ts";
import { describeRefusal } from "./describe-refusal.ts";

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
