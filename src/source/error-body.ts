/** What an error's body says, in any of the shapes that live side by side at the source. */
export interface ErrorBody {
  readonly message: string | null;
  readonly code: string | null;
}

const NOTHING: ErrorBody = { message: null, code: null };
/** Enough to see what the source complains about, and little enough for a log line. */
const LONGEST = 200;

/**
 * `{errors: [{code, message}]}`, `{error, error_description}`, or nothing for HTML, text and empty bodies. The words
 * are the vendor's and may echo what we sent: whatever is in `secrets` is taken out.
 */
export function readErrorBody(body: Buffer, secrets: readonly string[]): ErrorBody {
  const parsed = parse(body);
  if (parsed === null) return NOTHING;
  const listed = Array.isArray(parsed["errors"]) ? asRecord(parsed["errors"][0]) : null;
  if (listed !== null) {
    return { message: clean(listed["message"], secrets), code: clean(listed["code"], secrets) };
  }
  const code = clean(parsed["error"], secrets);
  return { message: clean(parsed["error_description"] ?? parsed["message"], secrets) ?? code, code };
}

function parse(body: Buffer): Record<string, unknown> | null {
  if (body.length > 64 * 1024) return null;
  try {
    return asRecord(JSON.parse(body.toString("utf8")));
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
  let text = String(value);
  for (const secret of secrets) {
    if (secret !== "") text = text.replaceAll(secret, "[secret]");
  }
  const line = text.replaceAll(/[\p{Cc}\p{Cs}\u2028\u2029\s]+/gu, " ").trim();
  if (line === "") return null;
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
}
