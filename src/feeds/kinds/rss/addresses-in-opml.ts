import { UserError } from "../../../lib/errors.ts";
import { HttpAddress } from "../../../lib/http-address.ts";
import { tokenize } from "../../common/tokenize.ts";

/** A list of 5,000 feeds has about one million letters. */
const LONGEST_FILE = 2_000_000;
const MOST_ADDRESSES = 5_000;
/** Asked before an address is parsed: a file has room for 200,000 that are none. */
const LOOKS_RIGHT = /^\s*https?:\/\/.{1,2000}$/is;
/** Some readers write `feed://` in place of `http://`, or `feed:` before the whole address. */
function withoutReaderScheme(value: string): string {
  return value.replace(/^\s*feed:(?:\/\/)?(?=https?:)/i, "").replace(/^\s*feed:(?=\/\/)/i, "http:");
}

/**
 * The addresses of feeds in an OPML file: the attribute `xmlUrl`, wherever it stands. One pass over the text by the
 * tokenizer alone, which takes time and memory in proportion to its length. Throws a UserError.
 */
export function addressesIn(text: string, file: string): string[] {
  if (text.length > LONGEST_FILE)
    throw new UserError(`${file} is larger than ${LONGEST_FILE / 1_000_000} MB; split it`);
  const found: string[] = [];
  let name = "";
  let value = "";
  tokenize(
    text,
    { decodeEntities: true, xmlMode: true },
    {
      onattribname(start, end) {
        name = text.slice(start, end).toLowerCase();
        value = "";
      },
      onattribdata(start, end) {
        value += text.slice(start, end);
      },
      onattribentity(codepoint) {
        value += String.fromCodePoint(codepoint);
      },
      onattribend() {
        if (name !== "xmlurl" || found.length > MOST_ADDRESSES) return;
        const address = withoutReaderScheme(value);
        if (LOOKS_RIGHT.test(address) && HttpAddress.safeParse(address).success) found.push(address);
      },
    },
  );
  if (found.length === 0) throw new UserError(`${file} is no OPML file with addresses of feeds (xmlUrl)`);
  if (found.length > MOST_ADDRESSES)
    throw new UserError(`${file} has more than ${MOST_ADDRESSES.toLocaleString("en-US")} feeds; split it`);
  return found;
}
