import { BRANDS } from "./brands.ts";
import type { Crisis } from "./crisis.ts";
import { crowd } from "./crisis-crowd.ts";
import { milestones } from "./crisis-milestones.ts";
import { createWriter } from "./crisis-writer.ts";
import type { Post } from "./post.ts";
import { createRandom } from "./random.ts";
import { STORIES } from "./stories.ts";

/** Everything that is published because of a crisis, in no particular order. Always the same for the same seed. */
export function crisisPosts(seed: string, crisis: Crisis): Post[] {
  const brand = BRANDS.find((candidate) => candidate.name === crisis.brand);
  const story = STORIES.find((candidate) => candidate.brand === crisis.brand);
  if (brand === undefined || story === undefined)
    throw new Error(`There is no story about ${JSON.stringify(crisis.brand)}.`);
  const scene = { brand, story, crisis, random: createRandom(seed, "crisis", crisis.brand, crisis.at) };
  const write = createWriter(seed, scene);
  const spoken = milestones(write, story);
  return [...spoken.map(({ post }) => post), ...crowd(seed, write, spoken, scene)];
}
