import { z } from "zod";
import { defineCondition } from "../define-condition.ts";
import { isUnknown, lacks } from "../miss.ts";

/** `verified: true`: the author has the network's badge; `false`: the author is known to have none. */
export const verified = defineCondition({
  type: "verified",
  params: z
    .boolean()
    .describe("true: the author has the badge of the network. false: the author is known to have none."),
  compile: (isVerified) => {
    const label = isVerified ? "by a verified author" : "by an author who is not verified";
    return {
      form: { verified: isVerified },
      matches: (mention) => mention.verified === isVerified,
      explain: () => label,
      miss: ({ verified: known }) =>
        known === null
          ? isUnknown("verified", "whether the author is verified is not known: the source does not say")
          : lacks(
              "verified",
              isVerified
                ? "the author is not verified, the rule wants one who is"
                : "the author is verified, the rule wants one who is not",
            ),
      label,
      attribute: label,
    };
  },
});
