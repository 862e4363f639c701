import type { Statement } from "../grammar.ts";
import { TIME } from "../times.ts";

/** What pages say in addition to messages. */
export const PAGE_STATEMENTS: readonly Statement[] = [
  {
    name: "time of the findings",
    means: "The findings of the page are about the mentions of this time.",
    pattern: new RegExp(`^from (?:${TIME}) to (?:${TIME})$`, "g"),
    judge: () => null,
  },
];
