import { isUtf8 } from "node:buffer";
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate, inflateRaw } from "node:zlib";

type Decoder = (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const DECODERS: Record<string, Decoder> = {
  gzip: promisify(gunzip),
  "x-gzip": promisify(gunzip),
  br: promisify(brotliDecompress),
  deflate: async (bytes, options) => {
    // RFC 9110 means the zlib format, many servers send the raw one; the first byte distinguishes them.
    const zlib = ((bytes[0] ?? 0) & 0x0f) === 8;
    return zlib ? await promisify(inflate)(bytes, options) : await promisify(inflateRaw)(bytes, options);
  },
  identity: async (bytes) => bytes,
};

/** The bytes of a body; null if there are more, which are not read any more. */
export async function readAtMost(body: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

/** Codings that we can decode, for the `accept-encoding` header. */
export const ACCEPTED_ENCODINGS = "gzip, deflate, br";

const MOST_CODINGS = 3;

/**
 * Decodes `content-encoding`, last coding first, off the event loop. At most `maxBytes` come out, so a small answer
 * cannot fill the memory. Rejects with zlib's error, or a RangeError naming an unknown coding.
 */
export async function decodeBody(bytes: Buffer, encoding: string | null, maxBytes: number): Promise<Buffer> {
  if (encoding === null || bytes.length === 0) return bytes;
  let decoded = bytes;
  const codings = encoding.toLowerCase().split(",");
  // Thousands of them would keep us busy for minutes, however small each result is.
  if (codings.length > MOST_CODINGS) throw new RangeError("too many content-encodings");
  for (const coding of codings.reverse()) {
    const decoder = DECODERS[coding.trim()];
    if (decoder === undefined) throw new RangeError("unknown content-encoding");
    decoded = await decoder(decoded, { maxOutputLength: maxBytes });
  }
  return decoded;
}

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
