import { accountOf, type Chapter } from "./chapter.ts";
import { GROUPS } from "./groups-chapter.ts";
import { LATER_CHAPTERS, LATER_RULES } from "./later-chapters.ts";
import type { Script } from "./stage.ts";
import { UPKEEP } from "./upkeep-chapter.ts";
import { WRITTEN_BACK } from "./written-back-chapter.ts";

/** An alert for each author who is unhappy. */
export const COMPLAINT = `
description: Somebody is unhappy.
severity: warning
when: { sentiment: negative }
groupBy: author
over: { after: 20m }
`;

const angry = { sentiment: "negative", author: "ann", fullname: "Ann" };
const calm = { sentiment: "neutral" };

const FIRST_CHAPTERS: readonly Chapter[] = [
  {
    name: "arrivals",
    shows: [/^slack #crisis: .*Never again/, /^mail to team@.*\bBo\b/, /^mail to team@.*\bCy\b/],
    from: "09:00",
    withStart: true,
    pageSize: 2,
    said: [
      ["09:01", { ...calm, resourceId: "first", snippet: "Nothing much" }],
      ["09:02", { ...angry, resourceId: "complaint", snippet: "Never again" }],
      ["09:03", { ...calm, resourceId: "turning", author: "bo", fullname: "Bo", snippet: "Well" }],
      ["09:03", { ...calm, resourceId: "same", author: "cy", fullname: "Cy", snippet: "Well, well" }],
      ["09:04", { ...calm, resourceId: "last", snippet: "So be it" }],
      ["09:08", { ...calm, resourceId: "later", snippet: "Nothing new" }],
    ],
    changes: [
      ["09:07", "turning", { sentiment: "negative" }],
      ["09:07", "same", { sentiment: "negative" }],
    ],
    before: [],
    happenings: [{ until: "09:05" }, { until: "09:10" }],
  },
  {
    name: "window",
    shows: [/^slack #crisis: .*8 mentions/, /^alert_events: .*"what":"Resolved"/],
    from: "09:00",
    said: [
      ["09:06", { ...calm, count: 6 }],
      ["09:11", { ...calm, count: 2 }],
    ],
    before: [{ until: "09:05" }],
    // It opens, it grows and its message is edited, and it ends.
    happenings: [{ until: "09:10" }, { until: "09:15" }, { until: "09:30" }, { until: "09:40" }],
  },
  {
    name: "escalation",
    shows: [
      /^mail to on-call@/,
      /^slack #crisis in the thread.*Still going on|^slack #crisis.*: Still going on/,
    ],
    from: "09:00",
    said: [
      ["09:04", { ...angry, snippet: "Never again" }],
      ["09:16", { ...angry, snippet: "I said never" }],
    ],
    config: {
      routes: [{ receivers: ["crisis"], repeatEvery: "15m" }],
      escalations: [
        { name: "page", match: { severity: "warning" }, steps: [{ after: "10m", receivers: ["on-call"] }] },
      ],
    },
    before: [{ until: "09:05" }],
    // The step is reached; the alert is sent again, for there is new evidence.
    happenings: [{ until: "09:15" }, { until: "09:20" }],
  },
  {
    name: "silence",
    shows: [/^silences: /, /^slack #crisis: .*Acknowledged by/],
    from: "09:00",
    said: [
      ["09:04", { ...angry, snippet: "Never again" }],
      ["09:12", { ...angry, snippet: "I said never" }],
      ["09:25", { ...angry, snippet: "Not once" }],
      ["09:33", { ...angry, snippet: "And never" }],
    ],
    config: { routes: [{ receivers: ["crisis"], repeatEvery: "5m" }] },
    before: [{ until: "09:05" }],
    // Silenced for half an hour, in which its reminders are held. The silence ends, and the alert is sent; a person
    // acknowledges it.
    happenings: [
      { press: "silence", channel: "crisis", option: "30m", at: "1772442300.000100" },
      { until: "09:15" },
      { until: "09:37" },
      { press: "acknowledge", channel: "crisis", at: "1772444220.000100" },
    ],
  },
  {
    name: "digest",
    shows: [/^mail to reader@.*/, /^mail to team@/],
    from: "06:00",
    said: [
      ["06:01", { ...angry, snippet: "Never again", count: 2 }],
      ["day 2 06:00", { ...calm, snippet: "Nothing much" }],
    ],
    config: {
      digests: [{ name: "morning", at: "08:00", timezone: "UTC", receivers: ["team", "reader"] }],
      routes: [{ receivers: ["crisis"], sendResolved: false, repeatEvery: "never" }],
    },
    before: [{ until: "07:55" }],
    happenings: [{ until: "08:00" }, { unsubscribe: "reader@acme.example" }, { until: "day 2 08:00" }],
  },
  {
    name: "late digest",
    shows: [/^slack #crisis: .*/],
    from: "06:00",
    source: { pollEvery: "20m", updatesEvery: "20m", settle: "40m", lookback: "1d" },
    said: [
      ["06:01", { ...angry, resourceId: "late", snippet: "Never again" }],
      ["06:02", { ...calm, resourceId: "kept", snippet: "Nothing much" }],
      ["07:58", { ...calm, resourceId: "unread", snippet: "So be it" }],
    ],
    changes: [["08:32", "late", { resourceType: "deleted" }]],
    config: {
      digests: [{ name: "morning", at: "08:00", timezone: "UTC", receivers: ["crisis", "team"] }],
      routes: [{ receivers: ["on-call"], sendResolved: false, repeatEvery: "never" }],
    },
    before: [{ until: "06:10" }],
    // The edition waits for its query, of which the last forty minutes are never complete, and is built without them. Then
    // a mention of it is deleted.
    happenings: [{ until: "08:00" }, { until: "08:25" }, { until: "08:30" }, { until: "09:15" }],
  },
  {
    name: "work",
    shows: [/^mention_/],
    from: "09:00",
    said: [
      ["09:01", { ...angry, resourceId: "worked on", snippet: "Never again" }],
      ["09:02", { ...angry, resourceId: "deleted later", snippet: "I said never" }],
    ],
    changes: [["09:07", "deleted later", { resourceType: "deleted" }]],
    before: [{ until: "09:05" }],
    happenings: [
      ...(["assign", "status", "note", "tag", "undo"] as const).map((work) => ({ work })),
      { until: "09:15" },
    ],
  },
  {
    name: "dead letters",
    shows: [/^alert_events: .*"what":"Resolved"/],
    from: "09:00",
    said: [
      ["09:06", { ...calm, resourceId: "before", snippet: "Nothing much" }],
      ["09:07", { ...angry, resourceId: "poison", snippet: "Never again" }],
      ["09:08", { ...calm, resourceId: "after", snippet: "So be it" }],
    ],
    before: [
      { until: "09:05" },
      {
        sql: `create function harness.refuse() returns trigger language plpgsql as
          $$ begin if new.resource_id = 'poison' then raise exception 'out of ink'; end if; return new; end $$;
          create trigger refuse before insert on earshot.mentions for each row execute function harness.refuse()`,
      },
      { slackRefuses: "channel_not_found" },
    ],
    happenings: [
      { until: "09:10" },
      { sql: "drop trigger if exists refuse on earshot.mentions" },
      { replay: true },
      // A poll runs the replay; Slack refuses its notification for good.
      { until: "09:15" },
      { slackRefuses: null },
      { redeliver: "crisis" },
      { resolve: true },
    ],
  },
];

/** The rule files of the scenario. */
const RULES: Readonly<Record<string, string>> = {
  complaint: COMPLAINT,
  crowd: `
description: Many people speak at once.
severity: critical
queries: window
volume: { atLeast: 6, within: 15m }
over: { after: 10m }
`,
  authors: `
description: Counts people and never fires.
severity: info
volume: { atLeast: 9000, within: 1h, count: authors }
`,
  ...LATER_RULES,
};

export const CHAPTERS: readonly Chapter[] = [
  ...FIRST_CHAPTERS,
  ...LATER_CHAPTERS,
  UPKEEP,
  WRITTEN_BACK,
  GROUPS,
];

/** Chapters that write into their account have one of their own. */
export const SCRIPT: Script = {
  ...accountOf(CHAPTERS.filter(({ account }) => account === undefined)),
  rules: RULES,
};
