/**
 * The address if it may be put behind a link, else null: http or https, with a host, without a user name (which makes
 * `https://bank.example@evil.example` look right), of bearable length. The result is percent-encoded and its host in
 * ASCII, so that it holds none of the characters that end a link in HTML, Slack or a header.
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

/** Slack takes 3000 characters in a link; nobody reads that many. */
const MAX_LENGTH = 2000;
// The parser drops line breaks and tabs silently, which joins what a filter before us saw apart: refuse instead.
const UNSAFE = /\p{Cc}/u;
