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

/** Codings that we can decode, for the `accept-encoding` header. */
export const ACCEPTED_ENCODINGS = "gzip, deflate, br";

/**
 * Decodes `content-encoding`, last coding first, off the event loop. At most `maxBytes` come out, so a small answer
 * cannot fill the memory. Rejects with zlib's error, or a RangeError naming an unknown coding.
 */
export async function decodeBody(bytes: Buffer, encoding: string | null, maxBytes: number): Promise<Buffer> {
  if (encoding === null || bytes.length === 0) return bytes;
  let decoded = bytes;
  for (const coding of encoding.toLowerCase().split(",").reverse()) {
    const decoder = DECODERS[coding.trim()];
    if (decoder === undefined) throw new RangeError("unknown content-encoding");
    decoded = await decoder(decoded, { maxOutputLength: maxBytes });
  }
  return decoded;
}
