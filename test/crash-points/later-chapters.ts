import type { Chapter } from "./chapter.ts";

/** Their rule files. Each is for the queries of one chapter. */
export const LATER_RULES: Readonly<Record<string, string>> = {
  surge: `
description: Far more mentions than usual, and this is a crisis of its own.
severity: { warning: always, critical: { atLeast: 150, within: 15m } }
queries: growth
incident: never
spike: { atLeast: 10 }
`,
  flood: `
description: Far more mentions than usual.
severity: { warning: always, critical: { atLeast: 150, within: 15m } }
queries: growth
spike: { atLeast: 11 }
`,
  mood: `
description: Most of what is said is of one kind.
severity: warning
queries: growth
share: { of: { keyword: never }, atLeast: 50%, among: 10, within: 1h }
`,
  hashtag: `
description: A hashtag that nobody used before.
severity: info
queries: growth
new: { what: hashtag, atLeast: 4, learn: 6h }
`,
  charted: `
description: Many people speak at once, and it gets worse.
severity: { warning: always, critical: { atLeast: 20, within: 15m } }
queries: charts
incident: never
volume: { atLeast: 6, within: 15m }
over: { after: 10m }
`,
  lawsuit: `
description: Somebody goes to court.
severity: critical
queries: "people*"
when: { keyword: lawsuit }
groupBy: author
over: { after: 6m }
`,
};

/** Answers of Slack: asks for a pause; says nothing of what it did. */
const TOO_FAST = { status: 429, headers: { "retry-after": "1" }, body: "" };
const TROUBLE = { status: 200, body: JSON.stringify({ ok: false, error: "internal_error" }) };

const calm = { sentiment: "neutral", snippet: "Nothing much" };
const nomore = { sentiment: "neutral", snippet: "Never again #nomore" };
const usual = { sentiment: "neutral", snippet: "Nothing much #usual" };
const angry = (author: string, fullname: string, snippet: string) => ({
  ...{ sentiment: "negative", author, fullname, snippet },
});
const HOURS = ["00", "01", "02", "03", "04", "05", "06", "07", "08", "09", "10", "11"];

/** Nothing is changed, so nobody asks for changes: each poll is some points more. */
const UNCHANGED = { updatesEvery: "1d" };

export const LATER_CHAPTERS: readonly Chapter[] = [
  {
    name: "growth",
    source: UNCHANGED,
    from: "12:00",
    said: [
      // A morning as usual, which is read as history.
      ...HOURS.flatMap((hour) =>
        ["03", "13", "23", "33", "43", "53"].map((minute) => [`${hour}:${minute}`, usual] as const),
      ),
      // It begins, doubles, comes back after an hour, and is critical.
      ["12:06", { ...nomore, count: 12 }],
      ["12:15", { ...nomore, count: 75, every: "12s" }],
      ["13:31", { ...nomore, count: 120 }],
      ["14:06", { ...nomore, count: 200 }],
    ],
    shows: [
      /^notifications: .*"reason":"Doubled"/,
      /^notifications: .*"reason":"SeverityRose"/,
      /^notifications: .*"reason":"NewWave"/,
      /^alert_events: .*"what":"Fired".*<alert surge /,
      /^alert_events: .*"what":"Fired".*<alert mood /,
      /^alert_events: .*"what":"Fired".*<alert hashtag /,
      /^incident_entries: .*"kind":"Grew"/,
      /^slack #crisis: .*slack_file/,
    ],
    config: {
      routes: [
        { match: { rule: "surge" }, receivers: ["crisis"], repeatEvery: "never" },
        // It opens with its page: what its message says of counts depends on whether they are closed by then.
        { match: { rule: "hashtag" }, receivers: [] },
        { receivers: ["program"], repeatEvery: "never" },
      ],
    },
    pageSize: 250,
    before: [{ until: "12:05" }],
    happenings: [{ until: "12:10" }, { until: "12:35" }, { until: "13:40" }, { until: "14:10" }],
  },
  {
    name: "charts",
    source: UNCHANGED,
    from: "11:00",
    said: [
      ...HOURS.map((hour) => [`${hour}:03`, calm] as const),
      ["12:06", { ...calm, count: 8 }],
      ["12:11", { ...calm, count: 20 }],
    ],
    points:
      /^(files\.|upload$)|earshot\.notifications set vendor_ref|alert_messages set leased_until_wall = null/,
    // A chart when it fires, one when it is critical, one when it ends: each once, in the thread.
    shows: [
      /^slack #crisis: .*slack_file/,
      /^slack #crisis as number 1 in the thread.*the last day/,
      /^slack #crisis as number 3 in the thread.*the last day/,
      /^slack #crisis as number 5 in the thread.*the last day/,
    ],
    config: { routes: [{ receivers: ["crisis"], repeatEvery: "never" }] },
    before: [{ until: "12:05" }],
    happenings: [
      {
        slackFaults: [
          { method: "files.getUploadURLExternal", answer: { status: 500, body: "" } },
          { method: "upload", answer: { status: 500, body: "" } },
          { method: "files.completeUploadExternal", answer: TROUBLE, done: true },
        ],
      },
      { until: "12:10" },
      {
        slackFaults: [
          { method: "files.getUploadURLExternal", answer: TOO_FAST },
          { method: "upload", answer: { status: 500, body: "" }, done: true },
          { method: "files.completeUploadExternal", answer: TROUBLE },
        ],
      },
      { until: "12:15" },
      {
        slackFaults: [
          { method: "upload", drop: "after" },
          { method: "files.completeUploadExternal", answer: TOO_FAST },
          { method: "files.completeUploadExternal", answer: { status: 500, body: "" }, done: true },
        ],
      },
      { until: "12:50" },
    ],
  },
  {
    name: "people",
    also: ["people too"],
    source: UNCHANGED,
    from: "09:00",
    said: [
      ["09:06", angry("ann", "Ann", "Never again")],
      ["09:07", angry("bo", "Bo", "I said never")],
      ["09:07", { ...angry("fay", "Fay", "Never, never"), query: "people too" }],
      ["09:12", { ...calm, author: "cy", fullname: "Cy", snippet: "It is a lawsuit now" }],
      ["09:13", angry("dee", "Dee", "Not once")],
    ],
    shows: [
      /^alert_events: .*HeldByGroup.*crisis/,
      /^notifications: .*"also":\[.*"receiver":"crisis"/,
      /^alert_events: .*HeldByInhibition/,
      /^alert_events: .*HeldByQuietHours/,
      /^mail to team@.*Dee/,
      /^alert_events: .*HeldByThrottle.*reader/,
      /^mail to reader@.*Dee/,
      /^mail to deputy@.*Fay/,
      /^mail to on-call@.*Fay/,
      /^webhook .*Fay/,
    ],
    config: {
      routes: [
        { match: { query: "people too" }, receivers: ["program"], repeatEvery: "never" },
        { match: { rule: "lawsuit" }, receivers: ["program"], repeatEvery: "never", sendResolved: false },
        {
          ...{ receivers: ["crisis"], repeatEvery: "never", sendResolved: false, continue: true },
          ...{ groupBy: ["rule"], groupWait: "6m", groupInterval: "5m" },
        },
        { receivers: ["reader"], repeatEvery: "never", sendResolved: false, continue: true },
        { match: { labels: { author: "dee" } }, receivers: ["team"], repeatEvery: "never" },
      ],
      inhibitions: [{ while: { rule: "lawsuit" }, mute: {}, equal: ["query"] }],
      escalations: [
        {
          name: "page",
          match: { query: "people too" },
          steps: ["5m", "15m"].map((after) => ({ after, receivers: ["phone"] })),
        },
      ],
      rotations: [
        { name: "phone", timezone: "UTC", every: "day", at: "09:18", receivers: ["on-call", "deputy"] },
      ],
      receiverSettings: {
        team: { quietHours: [{ timezone: "UTC", from: "08:00", to: "09:30" }] },
        reader: { throttle: { atMost: 1, per: "15m" } },
      },
    },
    before: [{ until: "09:05" }],
    // Two alerts are one message, after a while; who is on call gets them. A lawsuit mutes the next complaint. It ends: then the
    // complaint goes to whoever is on call by then, and to a reader who had their message for a quarter of an hour. Then a
    // night ends.
    happenings: [
      { until: "09:10" },
      { until: "09:12" },
      { until: "09:15" },
      { until: "09:20" },
      { until: "09:26" },
      { until: "09:31" },
    ],
  },
  {
    name: "forgotten",
    also: ["forgotten too"],
    from: "09:00",
    said: [
      ["09:01", { ...angry("ann", "Ann", "Never again"), resourceId: "of ann" }],
      ["09:02", { ...angry("ann", "Ann", "I said never"), resourceId: "taken down" }],
      ["09:02", { ...angry("ann", "Ann", "Not once"), resourceId: "of ann too", query: "forgotten too" }],
      ["09:03", { ...angry("bo", "Bo", "Awful"), resourceId: "edited" }],
      ["09:18", { ...angry("ann", "Ann", "And never"), resourceId: "of ann later" }],
    ],
    changes: [
      ["09:07", "taken down", { resourceType: "deleted" }],
      ["09:12", "edited", { snippet: "Not so bad" }],
    ],
    shows: [
      /^webhook [^:]*:[^:]*:[^:]*.*"correction":1.*Not so bad/,
      /^webhook .*"correction":2.*2 mentions that their authors deleted/,
      /^tombstones: .*"reason":"source"/,
      /^tombstones: .*"reason":"request"/,
      /^slack #crisis: .*And never/,
    ],
    hides: [
      /^slack .*Never again/,
      /^mentions: .*Never again/,
      /^(slack|mentions).*Awful/,
      /^alert_\w+: .*ann.*09:01/,
    ],
    config: { routes: [{ receivers: ["crisis", "program"], sendResolved: false, repeatEvery: "never" }] },
    before: [{ until: "09:05" }],
    // What was sent is corrected: a mention is deleted, one is edited. Then a person wants to be forgotten, and writes again.
    happenings: [{ until: "09:10" }, { until: "09:15" }, { forget: "ann" }, { until: "09:20" }],
  },
];
