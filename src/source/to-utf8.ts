import { isUtf8 } from "node:buffer";

/**
 * The bytes of a text answer in UTF-8. JSON must be UTF-8, and servers that announce something else mostly send UTF-8
 * all the same; so the announced charset counts only if the bytes are not UTF-8. UTF-16 is recognised by its zeros.
 * Bytes in no known charset stay unchanged.
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
