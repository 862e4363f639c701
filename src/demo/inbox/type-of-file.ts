/** Media type by the first bytes, not by the name: only real pictures are shown as pictures. */
export function typeOfFile(bytes: Uint8Array): string {
  return PNG.every((byte, index) => bytes[index] === byte) ? "image/png" : "application/octet-stream";
}

const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
