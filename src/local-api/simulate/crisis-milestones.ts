import { MINUTE } from "../../lib/instant.ts";
import type { Author } from "./authors.ts";
import { BRANDS } from "./brands.ts";
import { SPOKEN_AFTER_MS } from "./crisis.ts";
import type { Draft, Writer } from "./crisis-writer.ts";
import { OUTLETS } from "./outlets.ts";
import type { Post } from "./post.ts";
import type { Story } from "./stories.ts";

export interface Milestone {
  readonly post: Post;
  /** How often it is reposted, in addition to the others. */
  readonly pull: number;
}

/** The posts without which it is no crisis: of the witness, a journalist, newspapers, the company. */
export function milestones(write: Writer, story: Story): Milestone[] {
  const witness: Author = { ...write.somebody(), followers: 412, verified: null };
  const journalist: Author = {
    ...write.somebody(),
    name: "Helena Brandt",
    handle: "helenabrandt",
    followers: 184_000,
    verified: "blue",
  };
  const company: Author = {
    ...write.somebody(),
    name: story.brand,
    handle: BRANDS.find(({ name }) => name === story.brand)?.handle ?? story.brand,
    followers: 61_000,
    verified: "business",
    isOrganisation: true,
  };
  const milestone = (author: Author, text: string, minutes: number, pull: number): Milestone => ({
    post: write({ author, text, afterMs: minutes * MINUTE }),
    pull,
  });
  return [
    milestone(witness, story.witness, 0, 10),
    ...story.follow.map((text, index) => milestone(witness, text, 6 + index * 13, 3)),
    ...story.journalist.map((text, index) => milestone(journalist, text, 17 + index * 24, 8)),
    ...story.headlines.map(({ title, snippet }, index) => ({
      pull: 0,
      post: write({ ...byOutlet(write, index), title, text: snippet, afterMs: (28 + index * 31) * MINUTE }),
    })),
    {
      pull: 4,
      post: write({ author: company, text: story.statement, afterMs: SPOKEN_AFTER_MS, sentiment: "neutral" }),
    },
  ];
}

function byOutlet(write: Writer, index: number): Pick<Draft, "author" | "pageType" | "outlet"> {
  const outlet = OUTLETS[index] ?? OUTLETS[0];
  const author = { ...write.somebody(), name: outlet.reporter, handle: outlet.name, isOrganisation: true };
  return { author, pageType: "news", outlet };
}
