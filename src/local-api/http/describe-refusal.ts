import type { FastifyError } from "fastify";

/** Describes a fault that the HTTP layer found, with what was expected. */
export function describeRefusal(error: FastifyError): string {
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
