import { parseUrl } from "../../lib/parse-url.ts";
/** Removes the secrets of an engine's address from a text: the address itself, and its password. */
export function withoutAddress(text: string, url: string): string {
  const password = parseUrl(url)?.password ?? "";
  const hidden = text.replaceAll(url, "[address]");
  return password === ""
    ? hidden
    : hidden.replaceAll(password, "[secret]").replaceAll(decodeURIComponent(password), "[secret]");
}
