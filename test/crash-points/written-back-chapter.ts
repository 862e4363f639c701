import type { Chapter } from "./chapter.ts";

/** The categories of the account; the id that it gives to the first. */
const SUBJECTS = [{ name: "Subjects", children: ["Price", "Safety"] }];
const PRICE = 40_002;

/** Somebody corrects mentions, and it is written to the account. */
export const WRITTEN_BACK: Chapter = {
  name: "written back",
  account: { categories: SUBJECTS },
  source: { writeCorrections: true, overlap: "0s", lookback: "1h", settle: "0s" },
  from: "09:00",
  said: [
    [
      "09:01",
      { sentiment: "neutral", author: "ann", fullname: "Ann", snippet: "Well, well", resourceId: "turning" },
    ],
    [
      "09:02",
      { sentiment: "neutral", author: "bo", fullname: "Bo", snippet: "So be it", resourceId: "other" },
    ],
  ],
  shows: [
    /^mention of the account: \{"resource_id":"turning".*"version":3.*"negative","categories":\["Price"\]/,
    /^mention of the account: \{"resource_id":"other","version":2.*"positive"/,
    /^source_edits: .*"a newer correction took its place"/,
    /^slack #crisis: .*Ann is negative/,
    /^mentions: .*"negative".*"name":"Price"/,
  ],
  points: /earshot\.source_edits|data\/mentions$|^commit of: update earshot\.polls set state/,
  before: [{ until: "09:05" }],
  // A sentiment that was corrected comes back with the next changes, and is an alert. A correction that waits gives way to a
  // newer one. One is written at a moment: the account gives each call a millisecond of its own, and a call that a kill
  // repeats would move the next one.
  happenings: [
    { correct: "turning", to: { sentiment: "negative" } },
    { upkeep: true },
    { until: "09:10" },
    { correct: "turning", to: { category: PRICE } },
    { upkeep: true },
    { until: "09:15" },
    { correct: "other", to: { sentiment: "negative" } },
    { correct: "other", to: { sentiment: "positive" } },
    { upkeep: true },
    { until: "09:20" },
  ],
};
