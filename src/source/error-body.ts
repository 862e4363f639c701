import { toUSVString } from "node:util";

/** The message in an error's body, in any of the shapes that the source uses. */
export interface ErrorBody {
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
  return line.length > LONGEST ? `${toUSVString(line.slice(0, LONGEST))}…` : line;
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
