import { isUrl } from "../../lib/is-url.ts";
/** Removes the secrets of an engine's address from a text: the address itself, and its password. */
export function withoutAddress(text: string, url: string): string {
  const password = isUrl(url) ? new URL(url).password : "";
  const hidden = text.replaceAll(url, "[address]");
  return password === ""
    ? hidden
    : hidden.replaceAll(password, "[secret]").replaceAll(decodeURIComponent(password), "[secret]");
}
