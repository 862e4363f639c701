import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { HOUR } from "../../../src/lib/instant.ts";
import { generateHour } from "../../../src/listening-api/simulate/generate-hour.ts";
import { generatedVersions } from "../../../src/listening-api/simulate/generated-mention.ts";

/** A Wednesday, 09:00. */
const START = Date.parse("2026-03-04T09:00:00.000Z");
const BRANDS = ["Parcelwing", "Lumabox", "Hearthly", "Velorra"];
const TOPICS = ["Product safety", "Delivery", "Customer service", "Pricing", "App"] as const;

const HASH = "f057da2d85966765f344db1f603102019f0b3caf0a02e70ed5ea443882fbce79";

const targets = {
  queries: new Map(BRANDS.map((name, index) => [name, index + 1])),
  categories: new Map(
    TOPICS.map((name, index) => [
      name,
      { id: String(index + 10), name, parentId: "9", parentName: "Topics" },
    ]),
  ),
};

// Stored hours are never written again, so one that is generated later has to fit to them.
test("a seed gives the same mentions as ever: texts, authors, places, times, crises", () => {
  const crises = BRANDS.map((brand, index) => ({ brand, at: START + index * HOUR }));
  const hash = createHash("sha256");
  let mentions = 0;
  for (let hour = 0; hour < 24; hour++)
    for (const mention of generateHour("same stream", START + hour * HOUR, { crises })) {
      mentions++;
      hash.update(JSON.stringify([mention, generatedVersions("same stream", mention, targets)]));
    }
  expect({ mentions, hash: hash.digest("hex") }).toEqual({ mentions: 6_090, hash: HASH });
});
