import { crc32, inflateSync } from "node:zlib";

/** Whether these bytes are a whole PNG: all its chunks are there and undamaged, and its pixels are as many as it says. */
export function isPicture(bytes: Uint8Array): boolean {
  const png = Buffer.from(bytes);
  if (!png.subarray(0, 8).equals(SIGNATURE)) return false;
  const pixels: Buffer[] = [];
  let size = { rows: 0, rowBytes: 0 };
  for (let at = 8; at + 12 <= png.length; ) {
    const length = png.readUInt32BE(at);
    const end = at + 12 + length;
    if (end > png.length || crc32(png.subarray(at + 4, end - 4)) !== png.readUInt32BE(end - 4)) return false;
    const type = png.toString("latin1", at + 4, at + 8);
    const data = png.subarray(at + 8, end - 4);
    if (type === "IHDR") size = sizeOf(data);
    if (type === "IDAT") pixels.push(data);
    if (type === "IEND") return end === png.length && areAll(Buffer.concat(pixels), size);
    at = end;
  }
  return false;
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** By the type of colour: grey, RGB, palette, grey and alpha, RGBA. */
const SAMPLES: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

function sizeOf(header: Buffer): { readonly rows: number; readonly rowBytes: number } {
  const bits = header.readUInt32BE(0) * (header[8] ?? 0) * (SAMPLES[header[9] ?? 0] ?? 0);
  // Each row begins with the number of its filter.
  return { rows: header.readUInt32BE(4), rowBytes: 1 + Math.ceil(bits / 8) };
}

function areAll(pixels: Buffer, { rows, rowBytes }: ReturnType<typeof sizeOf>): boolean {
  try {
    return rows > 0 && inflateSync(pixels).length === rows * rowBytes;
  } catch {
    return false;
  }
}
