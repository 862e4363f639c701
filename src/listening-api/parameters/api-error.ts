/** A request that gets an error as its answer. Caught once, in the error handler. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  readonly body: ErrorsBody | ErrorBody;
  readonly headers: Readonly<Record<string, string>>;
  constructor(status: number, body: ErrorsBody | ErrorBody, headers: Readonly<Record<string, string>> = {}) {
    super("errors" in body ? body.errors.map((error) => error.message).join("; ") : body.error_description);
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** Two shapes are used: `errors[]` for the content of the request, `error` for authentication and our own failures. */
export interface ErrorsBody {
  readonly errors: readonly { readonly code: number; readonly message: string }[];
}

export interface ErrorBody {
  readonly error: string;
  readonly error_description: string;
}

/** A person reads the answer; thousands of faults would also block the server while they are written. */
const MOST_FAULTS = 100;

/** 400: the faults of the request, one message each, naming the parameter and what was expected. */
export function invalidRequest(...faults: readonly string[]): ApiError {
  const left = faults.length - MOST_FAULTS;
  const shown = left > 0 ? [...faults.slice(0, MOST_FAULTS), `There are ${left} more faults.`] : faults;
  return new ApiError(400, errorsBody(...shown));
}

/** 404. Also for what exists but belongs to somebody else, and for a path that exists for other methods. */
export function notFound(what: string, methods: readonly string[] = []): ApiError {
  const allow = methods.join(", ");
  if (allow === "") return new ApiError(404, errorsBody(what));
  return new ApiError(404, errorsBody(`${what} The path takes ${allow}.`), { allow });
}

/** 401: no token, or a token that is not valid (any more). */
export function unauthorized(description: string): ApiError {
  return oauthError(401, "unauthorized", description, { "www-authenticate": "Bearer" });
}

/** 403: the API knows who asks, and that user may not use it. */
export function forbidden(description: string): ApiError {
  return oauthError(403, "access_denied", description);
}

/** The shape of RFC 6749, section 5.2: all answers of the token call, and what concerns the caller elsewhere. */
export function oauthError(
  status: number,
  error: string,
  description: string,
  headers: Readonly<Record<string, string>> = {},
): ApiError {
  return new ApiError(status, { error, error_description: description }, headers);
}

/** 405: the path exists, for other methods. */
export function methodNotAllowed(what: string, allowed: readonly string[]): ApiError {
  const allow = allowed.join(", ");
  return new ApiError(405, errorsBody(`${what}: expected ${allow}.`), { allow });
}

/** 415: a body that is compressed. Answers are, if they are asked to be. */
export function packedBody(encoding: string): ApiError {
  const given = JSON.stringify(encoding.slice(0, 60));
  return new ApiError(415, errorsBody(`content-encoding: expected a body as it is, got ${given}.`));
}

/** 429. Clients recognise the words "rate limit exceeded". */
export function tooManyRequests(detail: string, retryAfterSeconds: number): ApiError {
  const headers = { "retry-after": String(retryAfterSeconds) };
  return new ApiError(429, errorsBody(`rate limit exceeded: ${detail}`), headers);
}

export function errorsBody(...messages: readonly string[]): ErrorsBody {
  return { errors: messages.map((message) => ({ code: 0, message })) };
}
