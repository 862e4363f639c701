import { afterEach, expect, it } from "vitest";
import { createPngRenderer } from "../../../src/monitor/charts/png-renderer.ts";

const renderer = createPngRenderer();
afterEach(() => renderer.close());

const svg = (body: string) => `<svg xmlns="http://www.w3.org/2000/svg" width="60" height="34">${body}</svg>`;
const TEXT = '<text x="2" y="20" font-size="14" font-family="Verdana, sans-serif">Ünï 12</text>';

function sizeOf(png: Buffer): readonly number[] {
  expect(png.subarray(1, 4).toString()).toBe("PNG");
  return [png.readUInt32BE(16), png.readUInt32BE(20)];
}

it("makes pictures of drawings, several at once, letters included", async () => {
  const [blank, written, small] = await Promise.all([
    renderer.render(svg("")),
    renderer.render(svg(TEXT)),
    renderer.render(svg(TEXT), 1),
  ]);
  expect(sizeOf(blank)).toEqual([120, 68]);
  expect(sizeOf(small)).toEqual([60, 34]);
  expect(written.length).toBeGreaterThan(blank.length + 200);
});

it("refuses what is no drawing, and goes on with the next", async () => {
  await expect(renderer.render("<p>no</p>")).rejects.toThrow("a drawing could not be rendered");
  expect(sizeOf(await renderer.render(svg("")))).toEqual([120, 68]);
});

it("does not hold the event loop while it renders", async () => {
  await renderer.render(svg(TEXT));
  let turns = 0;
  let over = false;
  const rendered = renderer.render(svg(TEXT.repeat(200)), 20).then(() => {
    over = true;
  });
  while (!over) {
    turns++;
    await new Promise((next) => setImmediate(next));
  }
  await rendered;
  expect(turns).toBeGreaterThan(20);
});

it("can be closed while a picture waits, and used again", async () => {
  const waiting = renderer.render(svg(TEXT.repeat(200)), 20);
  const refused = expect(waiting).rejects.toThrow("has ended");
  await renderer.close();
  await refused;
  expect(sizeOf(await renderer.render(svg("")))).toEqual([120, 68]);
});
