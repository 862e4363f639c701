import { toUSVString } from "node:util";

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
