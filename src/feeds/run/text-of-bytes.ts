import { isUtf8 } from "node:buffer";

/**
 * The text of an XML, HTML or JSON document. What servers and documents say of their charset is often wrong, and UTF-8
 * is hard to hit by accident: valid UTF-8 is UTF-8, whatever is announced, and so is what is mostly that: a single bad byte
 * becomes one U+FFFD. Otherwise the header counts, then the document, as far as the bytes fit; then Windows-1252, in which
 * every byte is a character.
 */
export function textOfBytes(bytes: Buffer, contentType: string | null): string {
  const marked = markedCharset(bytes);
  if (marked === "utf-32be" || marked === "utf-32le") return decodeUtf32(bytes, marked);
  if (marked !== null) return new TextDecoder(marked).decode(bytes);
  const start = bytes.subarray(0, 1_024).toString("latin1");
  const announced = /;\s*charset\s*=\s*["']?([^\s;"']+)/i.exec(contentType ?? "")?.[1];
  const declared =
    /^\s*<\?xml[^>]*?encoding\s*=\s*["']([\w.:-]+)["']/i.exec(start)?.[1] ??
    /<meta[^>]+charset\s*=\s*["']?([\w.:-]+)/i.exec(start)?.[1];
  const named = [announced, declared].filter((name) => name !== undefined);
  // In ISO-2022-JP every byte is ASCII.
  const isShifted = bytes.includes(0x1b) && named.some((name) => /^iso-2022-/i.test(name));
  if (!isShifted && isUtf8Start(bytes)) return new TextDecoder().decode(bytes);
  for (const name of named) {
    const text = decodeExactly(bytes, name);
    if (text !== null && !(isSingleByte(name) && isMostlyUtf8(bytes))) return text;
  }
  return isMostlyUtf8(bytes) ? new TextDecoder().decode(bytes) : decodeWindows1252(bytes);
}

/** Every byte fits these, so that fitting says nothing. */
function isSingleByte(charset: string): boolean {
  return /^(?:iso-?8859|windows-125|latin|us-ascii|ascii|cp125)/i.test(charset);
}

/** By accident, letters of other charsets rarely look like one of UTF-8: then those that do not outnumber those that do. */
function isMostlyUtf8(bytes: Buffer): boolean {
  let [letters, bad] = [0, 0];
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte < 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc2 ? 2 : 1;
    let end = at + 1;
    while (end < at + length && ((bytes[end] ?? 0) & 0xc0) === 0x80) end++;
    if (length > 1 && end === at + length) {
      letters++;
      at = end - 1;
    } else bad++;
  }
  return letters > bad;
}

/** Also if it was cut off inside a character. */
function isUtf8Start(bytes: Buffer): boolean {
  if (isUtf8(bytes)) return true;
  return [1, 2, 3].some((cut) => {
    const [lead = 0, ...rest] = bytes.subarray(-cut);
    const length = lead > 0xf4 ? 0 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 0;
    const isUnfinished = cut < length && rest.every((byte) => byte >= 0x80 && byte < 0xc0);
    return isUnfinished && isUtf8(bytes.subarray(0, -cut));
  });
}

/** Byte order marks, and the zeros of UTF-32 and UTF-16 without one. */
function markedCharset(bytes: Buffer): string | null {
  const [first, second, third, fourth] = bytes;
  if (first === 0 && second === 0 && (third === 0xfe || (third === 0 && fourth !== 0))) return "utf-32be";
  if (third === 0 && fourth === 0 && first !== 0 && (first === 0xff || second === 0)) return "utf-32le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0 && second !== 0 && second !== undefined) return "utf-16be";
  return first !== 0 && second === 0 ? "utf-16le" : null;
}

/** By hand: TextDecoder does not know it. */
function decodeUtf32(bytes: Buffer, charset: "utf-32be" | "utf-32le"): string {
  const pieces: string[] = [];
  for (let at = 0; at + 4 <= bytes.length; at += 4) {
    const code = charset === "utf-32be" ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at);
    const isCharacter = code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    if (at > 0 || code !== 0xfeff) pieces.push(isCharacter ? String.fromCodePoint(code) : "\ufffd");
  }
  return pieces.join("");
}

/** Null if the charset is unknown or a byte does not fit. */
function decodeExactly(bytes: Buffer, charset: string): string | null {
  try {
    const decoder = new TextDecoder(charset, { fatal: true });
    return decoder.encoding === "windows-1252" ? decodeWindows1252(bytes) : decoder.decode(bytes);
  } catch {
    return null;
  }
}

/** By hand: several releases of Node take it for Latin-1, and quotation marks are lost. */
function decodeWindows1252(bytes: Buffer): string {
  return bytes
    .toString("latin1")
    .replaceAll(C1, (character) => WINDOWS_1252[character.charCodeAt(0) - 0x80] ?? character);
}

const C1 = /[\x80-\x9f]/g;
/** What stands at 0x80 to 0x9F; five places are empty. */
const WINDOWS_1252 = [..."€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ"];
