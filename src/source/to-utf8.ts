import { isUtf8 } from "node:buffer";

/**
 * The bytes of a text answer in UTF-8. JSON has to be UTF-8, and servers that announce something else mostly send it
 * all the same; so the announced charset counts only where the bytes are no UTF-8, and UTF-16 is told by its zeros.
 * Bytes that nothing explains stay as they are.
 */
export function toUtf8(bytes: Buffer, contentType: string | null): Buffer {
  const wide = wideCharset(bytes);
  if (wide !== null) return decode(bytes, wide);
  const announced = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType ?? "")?.[1]?.toLowerCase();
  if (announced === undefined || /^(utf-?8|us-ascii)$/.test(announced) || isUtf8(bytes)) return bytes;
  return decode(bytes, announced);
}

/** JSON begins with an ASCII character, so one of its first two bytes is zero in UTF-16, with or without a mark. */
function wideCharset([first, second]: Buffer): string | null {
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return "utf-16le";
  if ((first === 0xfe && second === 0xff) || (first === 0 && second !== 0 && second !== undefined))
    return "utf-16be";
  return null;
}

function decode(bytes: Buffer, charset: string): Buffer {
  try {
    return Buffer.from(new TextDecoder(charset).decode(bytes));
  } catch {
    return bytes;
  }
}
