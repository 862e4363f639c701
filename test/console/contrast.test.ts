import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** Text needs a contrast of 4.5 to 1, borders of fields and bars of charts 3 to 1 (WCAG 2.2: 1.4.3, 1.4.11). */
const TEXTS = {
  ink: ["ground", "paper", "fold"],
  soft: ["ground", "paper", "fold"],
  link: ["ground", "paper", "fold"],
  fault: ["ground", "paper", "fold"],
  good: ["paper", "fold"],
  negative: ["paper"],
  positive: ["paper"],
  "critical-ink": ["critical"],
  "warning-ink": ["warning"],
  "info-ink": ["info"],
  paper: ["link", "good"],
} as const;
const EDGES = { neutral: ["paper"], focus: ["ground", "paper"], critical: ["paper"] } as const;

const [LIGHT = new Map(), DARK = new Map()] = readFileSync("src/console/assets/console.css", "utf8")
  .split("prefers-color-scheme: dark")
  .map(coloursOf);

test.each([
  ["light", LIGHT],
  ["dark", DARK],
])("on a %s screen everything can be read", (_, colours) => {
  const weak = [...pairs(TEXTS, 4.5), ...pairs(EDGES, 3)].filter(
    ({ above, below, least }) => contrast(colours.get(above), colours.get(below)) < least,
  );
  expect(weak).toEqual([]);
});

function pairs(of: Readonly<Record<string, readonly string[]>>, least: number) {
  return Object.entries(of).flatMap(([above, grounds]) => grounds.map((below) => ({ above, below, least })));
}

/** The first definition of each name. */
function coloursOf(css: string): ReadonlyMap<string, string> {
  const found = [...css.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name = "", value = ""]) => [
    name,
    value,
  ]);
  return new Map(found.toReversed() as [string, string][]);
}

function contrast(one = "", other = ""): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
