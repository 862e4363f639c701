import { chosenField, flagField } from "./chosen-field.ts";
import type { Field, KnownFields } from "./field.ts";
import { numberField } from "./number-field.ts";
import { exactField, wordsField } from "./words-field.ts";

const GENDERS: Readonly<Record<string, string>> = { female: "F", male: "M" };

/** Who wrote it, and on whose page. */
export const authorFields: readonly Field[] = [
  wordsField("author", (known) => [known.author, known.fullname]),
  chosenField("authorGender", ["F", "M"], (known) => GENDERS[known.gender?.toLowerCase() ?? ""]),
  flagField("authorVerified", isVerified),
  chosenField(
    "authorVerifiedType",
    ["blue", "business", "government"],
    (known) => known.authorVerifiedType ?? undefined,
  ),
  numberField(
    "authorFollowers",
    { min: 0, max: 9_999_999_999, wholeNumbers: true, single: false, example: "[500 TO 100000]" },
    (known) => known.twitterFollowers ?? known.blueskyFollowers ?? known.instagramFollowerCount,
  ),
  exactField("channelId", (known) => [
    known.facebookAuthorId,
    known.twitterAuthorId,
    known.blueskyAuthorId,
    known.threadId,
  ]),
];

function isVerified(known: KnownFields): boolean | null {
  if (known.twitterVerified != null) return known.twitterVerified;
  return known.authorVerifiedType == null ? null : true;
}
