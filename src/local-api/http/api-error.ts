/** A request that is answered with something else than what it asked for. Caught once, in the error handler. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  readonly body: ErrorsBody | ErrorBody;
  constructor(status: number, body: ErrorsBody | ErrorBody) {
    super("errors" in body ? body.errors.map((error) => error.message).join("; ") : body.error_description);
    this.status = status;
    this.body = body;
  }
}

/** Two shapes live side by side: `errors[]` for what was asked, `error` for who asked and for our own failures. */
export interface ErrorsBody {
  readonly errors: readonly { readonly code: number; readonly message: string }[];
}

export interface ErrorBody {
  readonly error: string;
  readonly error_description: string;
}

/** 400: the faults of the request, one message each, naming the parameter and what was expected. */
export function invalidRequest(...faults: readonly string[]): ApiError {
  return new ApiError(400, errorsBody(...faults));
}

/** 404. Also for what exists but belongs to somebody else. */
export function notFound(what: string): ApiError {
  return new ApiError(404, errorsBody(what));
}

/** 401: no token, a token that is not valid (any more), or credentials that are wrong. */
export function unauthorized(description: string): ApiError {
  return new ApiError(401, { error: "unauthorized", error_description: description });
}

/** 429. Clients recognise the words "rate limit exceeded". */
export function tooManyRequests(detail: string): ApiError {
  return new ApiError(429, errorsBody(`Rate limit exceeded: ${detail}`));
}

export function errorsBody(...messages: readonly string[]): ErrorsBody {
  return { errors: messages.map((message) => ({ code: 0, message })) };
}
