import { crc32, deflateSync } from "node:zlib";
import { expect, test } from "vitest";
import { isPicture } from "./is-picture.ts";

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const around = Buffer.alloc(8);
  around.writeUInt32BE(data.length, 0);
  around.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([around.subarray(0, 4), body, around.subarray(4)]);
}

/** RGBA, 3 × 2 pixels. */
function png(rows: number): Buffer {
  const header = Buffer.from([0, 0, 0, 3, 0, 0, 0, 2, 8, 6, 0, 0, 0]);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(Buffer.alloc(rows * (1 + 3 * 4)))),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

test("a whole PNG is a picture", () => {
  expect(isPicture(png(2))).toBe(true);
});

test("half of one, a damaged one, and one with too few pixels are none", () => {
  const whole = png(2);
  for (let length = 0; length < whole.length; length++)
    expect(isPicture(whole.subarray(0, length))).toBe(false);
  for (let at = 0; at < whole.length; at++) {
    const damaged = Buffer.from(whole);
    damaged[at] = (damaged[at] ?? 0) ^ 1;
    expect(isPicture(damaged)).toBe(false);
  }
  expect(isPicture(png(1))).toBe(false);
  expect(isPicture(Buffer.from("not a picture at all"))).toBe(false);
});
