import { MINUTE, SECOND } from "../../lib/instant.ts";
import { CRISIS_LASTS_MS, SPOKEN_AFTER_MS, strength } from "./crisis.ts";
import type { Milestone } from "./crisis-milestones.ts";
import type { Scene, Writer } from "./crisis-writer.ts";
import type { PageType, Post } from "./post.ts";
import type { Random } from "./random.ts";
import { repostsOf } from "./reposts.ts";
import { CRISIS_AFTERMATH, CRISIS_CLOSINGS, CRISIS_OPENINGS, CRISIS_REACTIONS } from "./stories.ts";
import { typeAs } from "./typing.ts";

/** At the height of the storm. */
const POSTS_A_MINUTE = 13;

/** All others, minute by minute: some repost, some copy, most write something. */
export function crowd(
  seed: string,
  write: Writer,
  spoken: readonly Milestone[],
  { brand, story, crisis, random }: Scene,
): Post[] {
  const posts: Post[] = [];
  const mood = { reaction: random.bag([...story.reactions, ...CRISIS_REACTIONS]), story };
  for (let afterMs = MINUTE; afterMs < CRISIS_LASTS_MS; afterMs += MINUTE) {
    for (let count = random.poisson(POSTS_A_MINUTE * strength(afterMs)); count > 0; count--) {
      const when = afterMs + random.whole(0, 59) * SECOND;
      const known = spoken.filter(({ post }) => post.publishedAt < crisis.at + when);
      posts.push(oneOfTheCrowd(seed, write, known, when, { brand, crisis, random, ...mood }));
    }
  }
  return posts.map((post, index) => ({ ...post, key: `${post.key}/${index}` }));
}

function oneOfTheCrowd(
  seed: string,
  write: Writer,
  known: readonly Milestone[],
  afterMs: number,
  { brand, story, crisis, random, reaction }: Scene & { reaction: () => string },
): Post {
  const shared = known.filter(({ pull }) => pull > 0);
  const how = random.next();
  if (shared.length > 0 && how < 0.38) {
    const { post } = random.weighted(shared.map((milestone) => [milestone, milestone.pull] as const));
    const [repost] = repostsOf(seed, brand, post, [crisis.at + afterMs], random);
    if (repost !== undefined) return repost;
  }
  const author = write.somebody();
  if (how < 0.46) return write({ author, afterMs, text: copyOf(story.witness, random) });
  if (afterMs > SPOKEN_AFTER_MS && random.chance(0.45))
    return write({ author, afterMs, ...random.pick(CRISIS_AFTERMATH) });
  const pageType: PageType = random.weighted([
    ["twitter", 78],
    ["reddit", 10],
    ["instagram", 7],
    ["forum", 5],
  ]);
  const post = write({ author, afterMs, pageType, text: withBreath(reaction(), random) });
  return { ...post, text: typeAs(pageType, post.text, brand, random) };
}

/** As people begin and end when they are upset. */
function withBreath(text: string, random: Random): string {
  const opening = random.chance(0.35) ? random.pick(CRISIS_OPENINGS) : "";
  const closing = random.chance(0.25) ? random.pick(CRISIS_CLOSINGS) : "";
  return opening + text + closing;
}

/** As people copy: something put before it, the end lost, a word changed. */
function copyOf(text: string, random: Random): string {
  const opening = random.pick([
    "",
    "omg. ",
    "READ THIS: ",
    "via a friend: ",
    "Please share. ",
    "not my post but: ",
  ]);
  const sentences = text.replace(" {hashtag}", "").split(/(?<=[.?!]) /);
  const kept = random.chance(0.5) ? sentences : sentences.slice(0, -1);
  return `${opening}${kept.join(" ")}${random.chance(0.6) ? " {hashtag}" : ""}`;
}
