/**
 * Returns the address if it is safe to link, else null: http or https, with a host, without a user name (which makes
 * `https://bank.example@evil.example` look right), not too long. The result is percent-encoded with an ASCII host, so
 * it holds no character that ends a link in HTML, Slack or a header.
 */
export function safeUrl(text: string | null | undefined): string | null {
  if (!text || text.length > MAX_LENGTH || UNSAFE.test(text)) return null;
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:") return null;
  if (url.hostname === "" || url.username !== "" || url.password !== "") return null;
  const href = url.href.replaceAll(/[<>|"'`\\^{}\s]/g, (character) =>
    encodeURIComponent(character).replace("'", "%27"),
  );
  return href.length > MAX_LENGTH ? null : href;
}

/** Slack accepts 3000 characters in a link. */
const MAX_LENGTH = 2000;
// The parser silently drops line breaks and tabs, which could trick an earlier filter: refuse them instead.
const UNSAFE = /\p{Cc}/u;
