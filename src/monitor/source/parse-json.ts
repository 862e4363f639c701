import { isAscii } from "node:buffer";
import { storableText } from "../../lib/text.ts";

/** JSON whose strings may still be undecoded UTF-8. */
interface ParsedJson {
  readonly value: unknown;
  /** Makes a string of `value` readable and storable. Every string that is used must pass through it, once. */
  readonly read: (raw: string) => string;
}

/**
 * Parses a large answer of which few strings are used. Decoding UTF-8 costs as much as parsing, and mentions have a
 * hundred fields of which thirty are read; so the bytes are parsed as Latin-1, which is a plain copy (the syntax of
 * JSON is ASCII, and no byte of a longer UTF-8 sequence is), and a string is decoded when it is used.
 *
 * An escape beyond ASCII (`\u00e9`) would look like a raw byte afterwards, so answers that contain one are decoded
 * whole. With `longIds`, integers that may not fit 53 bits become text if they are ids: behind `id`, `…Id` and `…Ids`
 * keys, and as items of lists. Throws a SyntaxError.
 */
export function parseJson(bytes: Buffer, options: { readonly longIds: boolean }): ParsedJson {
  const body = hasMark(bytes) ? bytes.subarray(3) : bytes;
  const whole = escapesBeyondAscii(body);
  // A server that escapes everything sends only ASCII, for which the copy is enough.
  const text = body.toString(whole && !isAscii(body) ? "utf8" : "latin1");
  return {
    value: JSON.parse(options.longIds ? quoteLongIds(text) : text),
    read: whole ? storableText : readLatin1,
  };
}

/** Anything but printable ASCII and white space: bytes of longer sequences, and U+0000. */
const BEYOND_PLAIN = /[^\t\n\r -~]/;
/** One buffer for all strings: making one for each would double the cost of a page. */
const scratch = Buffer.allocUnsafeSlow(32 * 1024);

function readLatin1(raw: string): string {
  if (!BEYOND_PLAIN.test(raw)) return raw;
  if (raw.length > scratch.length) return storableText(Buffer.from(raw, "latin1").toString("utf8"));
  return storableText(scratch.toString("utf8", 0, scratch.write(raw, 0, "latin1")));
}

function hasMark(bytes: Buffer): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

function escapesBeyondAscii(bytes: Buffer): boolean {
  for (let at = bytes.indexOf("\\u"); at !== -1; at = bytes.indexOf("\\u", at + 2)) {
    const ascii = bytes[at + 2] === ZERO && bytes[at + 3] === ZERO && (bytes[at + 4] ?? 0xff) < EIGHT;
    if (!ascii) return true;
  }
  return false;
}

const ZERO = 0x30;
const EIGHT = 0x38;
const LONG = /\d{16}/;
/**
 * A string with the long integer that may follow it as its value, or a long integer as an item of a list. A string
 * without an end takes all remaining text: otherwise that would be scanned again at each quote in it.
 */
const STRING_OR_LONG_ITEM =
  /"([^"\\]*(?:\\.[^"\\]*)*)(?:"(?:(\s*:\s*)(-?\d{16,})(?=\s*[,}]))?|\\?$)|([[,]\s*)(-?\d{16,})(?=\s*[,\]])/gs;

/**
 * A reviver sees numbers after their last digits are lost, so the source is searched instead. Strings are matched
 * whole, so that what looks like an id inside the text of a mention stays text.
 */
function quoteLongIds(text: string): string {
  if (!LONG.test(text)) return text;
  return text.replaceAll(
    STRING_OR_LONG_ITEM,
    (found: string, key?: string, colon?: string, value?: string, before?: string, item?: string) => {
      if (item !== undefined) return `${before}"${item}"`;
      return value !== undefined && /^(?:id|\w*Ids?)$/.test(key ?? "") ? `"${key}"${colon}"${value}"` : found;
    },
  );
}

/** JSON that is used completely: all strings readable and storable, long ids as text. Throws a SyntaxError. */
export function parseWhole(body: Buffer): unknown {
  const { value, read } = parseJson(body, { longIds: true });
  return readStrings(value, read);
}

function readStrings(value: unknown, read: (raw: string) => string): unknown {
  if (typeof value === "string") return read(value);
  if (Array.isArray(value)) return value.map((item) => readStrings(item, read));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [read(key), readStrings(item, read)]));
}
