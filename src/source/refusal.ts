import { type Instant, MINUTE } from "../lib/instant.ts";
import { readRetryAfter } from "../lib/retry.ts";
import { type Budget, readBudget } from "./budget.ts";
import { readErrorBody } from "./error-body.ts";
import { SourceError, type SourceErrorKind } from "./source-error.ts";
import type { Answer } from "./transport.ts";

/**
 * The error for an answer outside 2xx. Only its status decides the kind: bodies come in several shapes, as HTML from a
 * gateway, or not at all, and only add a message.
 */
export function toRefusal(
  call: string,
  answer: Answer,
  context: { readonly now: Instant; readonly secrets: readonly string[] },
): SourceError {
  const kind = kindOf(answer.status);
  const described = readErrorBody(answer.body, context.secrets);
  const retryAfterMs = readRetryAfter(answer.header("retry-after"), context.now);
  return new SourceError({
    kind,
    call,
    status: answer.status,
    code: described.code,
    message: `${answer.status} ${described.message ?? WORDS[kind] ?? "unexpected answer"}`,
    retryable: kind === "rate-limited" || kind === "unavailable",
    retryAfterMs:
      kind === "rate-limited" ? (retryAfterMs ?? waitForBudget(readBudget(answer.header))) : retryAfterMs,
  });
}

const WORDS: Partial<Record<SourceErrorKind, string>> = {
  unauthorized: "the token was refused",
  forbidden: "this user may not see that",
  "not-found": "there is nothing at that address",
  rejected: "the request was rejected",
  "rate-limited": "the rate limit of the client is exceeded",
  unavailable: "the source cannot answer now",
  // Its address may hold anything, so it is not repeated.
  malformed: "a redirect, which is not followed; the base address may be wrong",
};

function kindOf(status: number): SourceErrorKind {
  if (status === 401) return "unauthorized";
  if (status === 403) return "forbidden";
  if (status === 404 || status === 410) return "not-found";
  if (status === 429) return "rate-limited";
  // 408 and 425 may be retried, like a 503.
  if (status >= 500 || status === 408 || status === 425) return "unavailable";
  // Redirects are not followed: the token would travel to an address that nobody configured.
  return status >= 300 && status < 400 ? "malformed" : "rejected";
}

/**
 * How long to wait after a 429 that names no time. The window rolls, refused calls seem to count, and waits of twenty
 * seconds were seen to fail; so each call above the limit waits for its share of the period, and never less than a
 * minute.
 */
export function waitForBudget(budget: Budget | null): number {
  if (budget === null) return MINUTE;
  const above = Math.max(0, (budget.used ?? budget.limit) - budget.limit) + 1;
  return Math.min(budget.periodMs, Math.max(MINUTE, (above * budget.periodMs) / budget.limit));
}
