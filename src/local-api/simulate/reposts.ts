import type { Instant } from "../../lib/instant.ts";
import { addressOf } from "./addresses.ts";
import { someAuthor } from "./authors.ts";
import type { Brand } from "./brands.ts";
import type { Post } from "./post.ts";
import type { Random } from "./random.ts";

/** One repost of a post at each of the given moments. */
export function repostsOf(
  seed: string,
  brand: Brand,
  original: Post,
  times: readonly Instant[],
  random: Random,
): Post[] {
  return times.map((publishedAt, index) => {
    const author = someAuthor(seed, random);
    const key = `${original.key}/repost/${index}`;
    return {
      ...original,
      key,
      author,
      text: `RT @${original.author.handle}: ${original.text}`,
      ...addressOf("twitter", key, { ...brand, brand: brand.name, handle: author.handle }),
      publishedAt,
      reposts: 0,
      repostOf: { url: original.url, handle: original.author.handle },
    };
  });
}
