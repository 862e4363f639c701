import type { FastifyError, FastifyInstance } from "fastify";
import { describeError } from "../../lib/errors.ts";
import type { LocalApiLog } from "../local-api-log.ts";
import { ApiError, errorsBody } from "./api-error.ts";

/**
 * Turns everything that is thrown into an answer. Nothing about our own failures reaches the caller, and no query
 * string reaches the log: it may carry an access token.
 */
export function answerErrors(app: FastifyInstance, log: LocalApiLog): void {
  app.setErrorHandler<FastifyError | ApiError>((error, request, reply) => {
    if (error instanceof ApiError) return reply.code(error.status).send(error.body);
    const status = "statusCode" in error ? (error.statusCode ?? 500) : 500;
    if (status < 500) return reply.code(status).send(errorsBody(error.message));
    log.error(
      { method: request.method, path: request.routeOptions.url, fault: describeError(error) },
      "local API failed to answer",
    );
    return reply
      .code(500)
      .send({ error: "internal_error", error_description: "The request could not be answered." });
  });
}
