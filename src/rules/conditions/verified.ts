import { z } from "zod";
import { defineCondition } from "../define-condition.ts";

/** `verified: true`: the author has the network's badge; `false`: the author is known to have none. */
export const verified = defineCondition({
  type: "verified",
  params: z.boolean(),
  compile: (wanted) => {
    const label = wanted ? "by a verified author" : "by an author who is not verified";
    return {
      form: { verified: wanted },
      matches: (mention) => mention.verified === wanted,
      explain: () => label,
      label,
      attribute: label,
    };
  },
});
