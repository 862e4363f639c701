import { toUSVString } from "node:util";
import { type Instant, MINUTE } from "../../lib/instant.ts";
import { startOf } from "../../lib/text.ts";
import { type Budget, namedWait, readBudget } from "./budget.ts";
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
  const retryAfterMs = namedWait(answer.header, context.now);
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

/** The message in an error's body, in any of the shapes that the source uses. */
interface ErrorBody {
  readonly message: string | null;
  readonly code: string | null;
}

const NOTHING: ErrorBody = { message: null, code: null };
/** Enough to see what the source complains about, and short enough for a log line. */
const LONGEST = 200;

/**
 * `{errors: [{code, message}]}` or `{errors: [message]}`, `{error, error_description}`, or nothing for HTML, text and
 * empty bodies. The text is the vendor's and may echo what we sent: everything in `secrets` is removed. Never throws.
 */
export function readErrorBody(body: Buffer, secrets: readonly string[]): ErrorBody {
  const parsed = parse(body);
  if (parsed === null) return NOTHING;
  const listed = Array.isArray(parsed["errors"]) ? parsed["errors"] : [];
  const messages = listed
    .map((one) => clean(asRecord(one)?.["message"] ?? one, secrets))
    .filter((one) => one !== null);
  const listedCode = clean(asRecord(listed[0])?.["code"], secrets);
  if (messages.length > 0 || listedCode !== null) {
    return { message: shorten(messages.join("; ")), code: listedCode };
  }
  const inner = asRecord(parsed["error"]);
  const code = clean(inner?.["code"] ?? parsed["error"] ?? parsed["code"], secrets);
  const text = parsed["error_description"] ?? inner?.["message"] ?? parsed["message"];
  return { message: clean(text, secrets) ?? code, code };
}

function parse(body: Buffer): Record<string, unknown> | null {
  if (body.length > 64 * 1024) return null;
  try {
    return asRecord(JSON.parse(body.toString("utf8").replace(/^\ufeff/, "")));
  } catch {
    return null;
  }
}

function asRecord(value: unknown): Record<string, unknown> | null {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}

function clean(value: unknown, secrets: readonly string[]): string | null {
  if (typeof value !== "string" && typeof value !== "number") return null;
  const line = redact(oneLine(redact(String(value), secrets)), secrets);
  return shorten(line);
}

function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029\s]+/gu, " ").trim();
}

function shorten(line: string): string | null {
  if (line === "") return null;
  return line.length > LONGEST ? `${startOf(line, LONGEST)}…` : line;
}

/**
 * Removes secrets from a vendor's text, which may echo what we sent: unchanged, or in any form that servers write into
 * messages (URL, form, HTML, JSON, Base64).
 */
export function redact(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const form of new Set(secrets.filter((secret) => secret !== "").flatMap(formsOf))) {
    clean = clean.replaceAll(new RegExp(escapeForPattern(form), "gi"), "[secret]");
  }
  return clean;
}

/** Longest first, so that no form leaves a part of another. */
function formsOf(secret: string): string[] {
  const form = new URLSearchParams({ p: secret }).toString().slice(2);
  return [
    secret,
    encodeURIComponent(toUSVString(secret)),
    encodeURI(toUSVString(secret)),
    form,
    escapeHtml(secret, "&quot;", "&#39;"),
    escapeHtml(secret, "&#34;", "&#x27;"),
    JSON.stringify(secret).slice(1, -1),
    Buffer.from(secret).toString("base64"),
    Buffer.from(secret).toString("base64url"),
    // Put a message on one line before it is checked.
    secret.replaceAll(/\s+/g, " ").trim(),
  ].sort((a, b) => b.length - a.length);
}

function escapeHtml(text: string, quote: string, apostrophe: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', quote)
    .replaceAll("'", apostrophe);
}

function escapeForPattern(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
