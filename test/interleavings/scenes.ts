import type { Chapter } from "../crash-points/chapter.ts";
import type { Account, Script } from "../crash-points/stage.ts";
import { COMPLAINT } from "../crash-points/story.ts";
import type { StoryMentionFields } from "../flows/stream.ts";
import type { Process } from "./process.ts";
import type { Pair } from "./task.ts";
import type { MonitorTask } from "./tasks.ts";
import * as task from "./tasks.ts";

/** A state of the tables, and pairs of tasks that two processes do in it at once. */
export interface Scene {
  readonly name: string;
  readonly queries: readonly string[];
  readonly said: readonly (readonly [
    at: string,
    query: string,
    what: StoryMentionFields & { readonly count?: number },
  ])[];
  readonly changes?: readonly (readonly [at: string, resourceId: string, what: StoryMentionFields])[];
  readonly config?: Chapter["config"];
  /** What differs from the source of all scenes. */
  readonly source?: object;
  /** What its account has besides, where something is written into it: then the account is its own. */
  readonly account?: Chapter["account"];
  /** When Earshot starts, and until when everything that is due is done. */
  readonly from: string;
  readonly settled?: readonly string[];
  /** When the pairs are played. Before, these are done, each at a moment or then, and nothing that follows from them. */
  readonly at: string;
  readonly first?: readonly (MonitorTask | readonly [at: string, task: MonitorTask])[];
  readonly pairs: readonly Pair<Process>[];
}

const RULES: Readonly<Record<string, string>> = {
  complaint: COMPLAINT,
  crowd: `
description: Many people speak at once.
severity: critical
queries: "crowd*"
volume: { atLeast: 6, within: 15m }
over: { after: 10m }
`,
  flood: `
description: Many people speak at once, and this is a crisis of its own.
severity: warning
queries: "crowd of two incidents"
incident: apart
volume: { atLeast: 6, within: 15m }
over: { after: 10m }
`,
};

/** The statement with which a job gives its lease away. */
const END_OF = {
  poll: /^update earshot\.polls set state =/,
  delivery: /^with settled as \( update earshot\.notifications/,
  edit: /^update earshot\.alert_messages m set attempts = 0/,
  unfinishedEdit: /^update earshot\.alert_messages set leased_until_wall = null/,
  correction: /delete from earshot\.corrections/,
  writing: /^with newer as \( update earshot\.source_edits/,
} as const;

const angry = (resourceId: string, snippet: string): StoryMentionFields => ({
  ...{ resourceId, snippet, sentiment: "negative", author: "ann", fullname: "Ann" },
});
const calm = { sentiment: "neutral", snippet: "Nothing much" };

const ONE_ALERT = {
  from: "09:00",
  settled: ["09:05"],
  config: { routes: [{ receivers: ["crisis", "team"], repeatEvery: "5m" }] },
} as const;

/** An alert on one mention, and one more that Earshot has not read. */
function grows(query: string): Pick<Scene, "queries" | "said"> {
  return {
    queries: [query],
    said: [
      ["09:01", query, angry(`${query}-1`, "Never again")],
      ["09:07", query, angry(`${query}-2`, "I said never")],
    ],
  };
}

/** An account with a few more queries than the harness gives an address room for. */
const GROUPED = {
  ...{ from: "09:00", settled: ["09:05"] },
  queries: ["groups", "groups 2", "groups 3", "groups 4"],
  said: [
    ["09:01", "groups", { ...calm, resourceId: "groups-1" }],
    ["09:01", "groups 2", { ...calm, resourceId: "groups-2" }],
    ["09:07", "groups 3", { ...calm, resourceId: "groups-3" }],
    ["09:07", "groups 4", { ...calm, resourceId: "groups-4" }],
  ],
  account: { rateLimit: { limit: 3_000, minutes: 1 } },
  source: { mayCreateGroups: true },
  at: "09:10",
} as const;

const merge = task.merge("crowd of two incidents", "crowd", "flood");
const TWO_INCIDENTS: Scene["pairs"] = [
  [merge, merge],
  [merge, task.merge("crowd of two incidents", "flood", "crowd")],
  [merge, task.poll("crowd of two incidents")],
  [merge, task.closeWindows("crowd of two incidents")],
  [merge, task.decide("crowd of two incidents")],
  [merge, task.acknowledge("crowd of two incidents", "crowd")],
  [merge, task.resolve("crowd of two incidents", "flood")],
  [merge, task.forget("ann")],
  [merge, task.leaveOut("crowd of two incidents")],
];

export const SCENES: readonly Scene[] = [
  {
    name: "growth",
    ...ONE_ALERT,
    ...grows("growth"),
    at: "09:10",
    pairs: [
      [task.poll("growth"), task.acknowledge("growth")],
      [task.poll("growth"), task.resolve("growth")],
      [task.poll("growth"), task.silence("growth")],
      [task.poll("growth"), task.poll("growth")],
      [task.poll("growth"), task.forget("ann")],
      [task.poll("growth"), task.refresh],
      [task.poll("growth"), task.leaveOut("growth")],
      [task.poll("growth"), task.reload],
      [task.poll("growth"), task.reconcileCounts],
      [task.poll("growth"), task.sweep],
      [task.poll("growth"), task.prune],
      [task.reconcileCounts, task.reconcileCounts],
      [task.sweep, task.sweep],
      [task.acknowledge("growth"), task.resolve("growth")],
      [task.pressOnce("growth"), task.pressOnce("growth")],
      [task.followLink("growth", { do: "resolve" }), task.followLink("growth", { do: "resolve" })],
      [task.forget("ann"), task.acknowledge("growth")],
      [task.forget("ann"), task.forget("ann")],
    ],
  },
  {
    name: "escalation",
    ...ONE_ALERT,
    queries: ["escalation"],
    said: [["09:01", "escalation", angry("escalation-1", "Never again")]],
    config: {
      routes: [{ receivers: ["crisis"], repeatEvery: "never" }],
      escalations: [{ name: "page", steps: [{ after: "7m", receivers: ["on-call"] }] }],
    },
    at: "09:13",
    pairs: [
      [task.decide("escalation"), task.decide("escalation")],
      [task.decide("escalation"), task.acknowledge("escalation")],
      [task.decide("escalation"), task.resolve("escalation")],
      [task.decide("escalation"), task.silence("escalation")],
      [task.decide("escalation"), task.forget("ann")],
      [task.decide("escalation"), task.leaveOut("escalation")],
      [task.decide("escalation"), task.closeWindows("escalation")],
    ],
  },
  {
    name: "silence",
    ...ONE_ALERT,
    ...grows("silence"),
    at: "09:10",
    first: [task.silence("silence")],
    pairs: [
      [task.poll("silence"), task.endSilence],
      [task.endSilence, task.endSilence],
      [task.endSilence, task.acknowledge("silence")],
    ],
  },
  {
    name: "silenced",
    ...ONE_ALERT,
    ...grows("silenced"),
    at: "09:10",
    first: [task.silence("silenced"), task.poll("silenced")],
    pairs: [
      [task.decide("silenced"), task.endSilence],
      [task.endSilence, task.resolve("silenced")],
    ],
  },
  {
    name: "sending",
    ...ONE_ALERT,
    ...grows("sending"),
    settled: [],
    at: "09:05",
    first: [task.poll("sending")],
    pairs: [
      [task.deliver("crisis"), task.deliver("crisis")],
      [task.deliver("team"), task.deliver("team")],
      [task.deliver("crisis"), task.acknowledge("sending")],
      [task.deliver("crisis"), task.resolve("sending")],
      [task.deliver("crisis"), task.forget("ann")],
      // What is deleted while a mail is made of the facts is not in it, and the mail counts as one that may show it.
      [task.deliver("team"), task.forget("ann"), { between: /^select a\.id, a\.project_id as "projectid"/ }],
      [task.deliver("crisis"), task.sweep],
      [task.deliver("crisis"), task.redeliver("crisis")],
      [task.forget("ann"), task.deliver("crisis"), { begun: END_OF.delivery }],
    ],
  },
  {
    name: "news",
    ...ONE_ALERT,
    ...grows("news"),
    settled: [],
    at: "09:10",
    first: [["09:05", task.poll("news")]],
    pairs: [
      [task.deliver("crisis"), task.poll("news")],
      [task.deliver("team"), task.poll("news")],
    ],
  },
  {
    name: "reply",
    ...ONE_ALERT,
    ...grows("reply"),
    at: "09:10",
    first: [task.poll("reply")],
    pairs: [
      [task.deliver("crisis"), task.edit("crisis")],
      [task.edit("crisis"), task.edit("crisis")],
      [task.edit("crisis"), task.acknowledge("reply")],
      [task.edit("crisis"), task.forget("ann")],
      [task.acknowledge("reply"), task.edit("crisis"), { begun: END_OF.edit }],
      [task.forget("ann"), task.edit("crisis"), { begun: END_OF.edit }],
      [task.deliver("crisis"), task.acknowledge("reply")],
      [task.deliver("crisis"), task.forget("ann")],
    ],
  },
  {
    // The message is out, and its chart is still to be added.
    name: "chart",
    from: "09:00",
    queries: ["crowd in a chart"],
    said: [
      ["09:06", "crowd in a chart", { ...calm, count: 7 }],
      ["09:07", "crowd in a chart", angry("chart-1", "Never again")],
      ["09:12", "crowd in a chart", { ...calm, count: 3 }],
    ],
    changes: [["09:13", "chart-1", { resourceType: "deleted" }]],
    config: { routes: [{ receivers: ["crisis"], repeatEvery: "5m" }] },
    settled: ["09:05"],
    at: "09:15",
    first: [
      ["09:10", task.poll("crowd in a chart")],
      ["09:10", task.closeWindows("crowd in a chart")],
      ["09:10", task.deliver("crisis")],
      task.poll("crowd in a chart"),
    ],
    pairs: [
      [task.edit("crisis"), task.edit("crisis")],
      [task.edit("crisis"), task.closeWindows("crowd in a chart")],
      [task.edit("crisis"), task.poll("crowd in a chart", "updated")],
      [task.edit("crisis"), task.acknowledge("crowd in a chart", "crowd")],
      [task.edit("crisis"), task.resolve("crowd in a chart", "crowd")],
      [task.edit("crisis"), task.forget("ann")],
      [task.acknowledge("crowd in a chart", "crowd"), task.edit("crisis"), { begun: END_OF.unfinishedEdit }],
    ],
  },
  {
    name: "deleted",
    ...ONE_ALERT,
    ...grows("deleted"),
    changes: [["09:08", "deleted-1", { resourceType: "deleted" }]],
    at: "09:10",
    first: [task.poll("deleted")],
    pairs: [
      [task.poll("deleted", "updated"), task.deliver("crisis")],
      [task.poll("deleted", "updated"), task.deliver("team")],
      [task.poll("deleted", "updated"), task.edit("crisis")],
      [task.poll("deleted", "updated"), task.acknowledge("deleted")],
      [task.poll("deleted", "updated"), task.forget("ann")],
    ],
  },
  {
    name: "correction",
    ...ONE_ALERT,
    ...grows("correction"),
    changes: [["09:08", "correction-1", { resourceType: "deleted" }]],
    at: "09:10",
    first: [task.poll("correction"), task.deliver("crisis"), task.poll("correction", "updated")],
    pairs: [
      [task.correctMessage("crisis"), task.correctMessage("crisis")],
      [task.correctMessage("crisis"), task.forget("ann")],
      [task.correctMessage("crisis"), task.edit("crisis")],
      [task.forget("ann"), task.correctMessage("crisis"), { begun: END_OF.correction }],
    ],
  },
  {
    name: "windows",
    from: "09:00",
    queries: ["crowd of windows"],
    said: [
      ["09:06", "crowd of windows", { ...calm, count: 6 }],
      ["09:11", "crowd of windows", { ...calm, count: 2 }],
      ["09:12", "crowd of windows", angry("windows-1", "Never again")],
    ],
    config: { routes: [{ receivers: ["crisis", "team"], repeatEvery: "5m" }] },
    settled: ["09:05", "09:10"],
    at: "09:15",
    first: [task.poll("crowd of windows")],
    pairs: [
      [task.closeWindows("crowd of windows"), task.closeWindows("crowd of windows")],
      [task.closeWindows("crowd of windows"), task.acknowledge("crowd of windows", "crowd")],
      [task.closeWindows("crowd of windows"), task.resolve("crowd of windows", "crowd")],
      [task.closeWindows("crowd of windows"), task.decide("crowd of windows")],
      [task.closeWindows("crowd of windows"), task.leaveOut("crowd of windows")],
      [task.closeWindows("crowd of windows"), task.poll("crowd of windows", "updated")],
      [task.closeWindows("crowd of windows"), task.forget("ann")],
      [task.closeWindows("crowd of windows"), task.deliver("crisis")],
    ],
  },
  {
    name: "rest",
    from: "09:00",
    queries: ["crowd after a rest"],
    // They come late: into a bucket whose end the query was read up to before.
    said: [["09:07", "crowd after a rest", { ...calm, count: 7, indexedAfter: "4m" }]],
    source: { overlap: "10m" },
    config: { routes: [{ receivers: ["crisis", "team"], repeatEvery: "5m" }] },
    settled: ["09:05"],
    at: "09:15",
    first: [["09:10", task.poll("crowd after a rest")]],
    pairs: [
      [task.poll("crowd after a rest"), task.closeAsleep("crowd after a rest")],
      [task.closeWindows("crowd after a rest"), task.closeAsleep("crowd after a rest")],
      [task.leaveOut("crowd after a rest"), task.closeAsleep("crowd after a rest")],
    ],
  },
  {
    name: "end",
    from: "09:00",
    queries: ["crowd that ends"],
    said: [["09:06", "crowd that ends", { ...calm, count: 6 }]],
    config: { routes: [{ receivers: ["crisis", "team"], repeatEvery: "5m" }] },
    settled: ["09:05", "09:10", "09:15"],
    at: "09:35",
    first: [task.poll("crowd that ends")],
    pairs: [
      [task.closeWindows("crowd that ends"), task.acknowledge("crowd that ends", "crowd")],
      [task.closeWindows("crowd that ends"), task.resolve("crowd that ends", "crowd")],
      [task.closeWindows("crowd that ends"), task.decide("crowd that ends")],
      [task.closeWindows("crowd that ends"), task.silence("crowd that ends")],
    ],
  },
  {
    name: "throttle",
    from: "09:00",
    queries: ["throttled one", "throttled two"],
    said: [
      ["09:01", "throttled one", angry("throttle-1", "Never again")],
      ["09:02", "throttled two", angry("throttle-2", "I said never")],
    ],
    config: {
      routes: [{ receivers: ["team"], repeatEvery: "never" }],
      receiverSettings: { team: { throttle: { atMost: 1, per: "1h" } } },
    },
    at: "09:05",
    pairs: [[task.poll("throttled one"), task.poll("throttled two")]],
  },
  {
    name: "group",
    from: "09:00",
    queries: ["grouped one", "grouped two"],
    said: [
      ["09:01", "grouped one", angry("group-1", "Never again")],
      ["09:02", "grouped two", angry("group-2", "I said never")],
    ],
    config: {
      routes: [{ receivers: ["team", "crisis"], groupBy: ["rule"], groupWait: "7m", repeatEvery: "5m" }],
    },
    settled: ["09:05"],
    at: "09:09",
    pairs: [
      [task.decide("grouped one"), task.decide("grouped two")],
      [task.decide("grouped one"), task.acknowledge("grouped two")],
      [task.decide("grouped one"), task.resolve("grouped two")],
      [task.decide("grouped one"), task.leaveOut("grouped two")],
    ],
  },
  {
    name: "digest",
    from: "06:00",
    queries: ["digest"],
    said: [
      ["06:01", "digest", { ...angry("digest-1", "Never again") }],
      ["07:58", "digest", angry("digest-2", "I said never")],
    ],

    config: {
      digests: [{ name: "morning", at: "08:00", timezone: "UTC", receivers: ["team", "reader"] }],
      routes: [{ receivers: ["crisis"], sendResolved: false, repeatEvery: "never" }],
    },
    settled: ["07:55"],
    at: "08:00",
    first: [task.sweep],
    pairs: [
      [task.buildDigest("morning", "2026-03-02"), task.buildDigest("morning", "2026-03-02")],
      // The mentions of a poll are stored, and a digest that is built now says that the poll has not ended.
      [task.poll("digest"), task.buildDigest("morning", "2026-03-02"), { between: END_OF.poll }],
      [task.buildDigest("morning", "2026-03-02"), task.unsubscribe("morning", "reader")],
      [task.buildDigest("morning", "2026-03-02"), task.forget("ann")],
      [task.buildDigest("morning", "2026-03-02"), task.leaveOut("digest")],
    ],
  },
  {
    name: "digest edited",
    from: "06:00",
    queries: ["digest of edits"],
    said: [
      ["06:01", "digest of edits", angry("edits-1", "Never again")],
      ["06:02", "digest of edits", angry("edits-2", "I said never")],
    ],
    changes: [
      ["07:57", "edits-1", { snippet: "Well, perhaps", sentiment: "neutral" }],
      ["07:57", "edits-2", { resourceType: "deleted" }],
    ],
    config: {
      digests: [{ name: "morning", at: "08:00", timezone: "UTC", receivers: ["team", "reader"] }],
      routes: [{ receivers: ["crisis"], sendResolved: false, repeatEvery: "never" }],
    },
    settled: ["07:55"],
    at: "08:00",
    first: [task.poll("digest of edits"), task.sweep],
    pairs: [
      [
        task.poll("digest of edits", "updated"),
        task.buildDigest("morning", "2026-03-02"),
        { between: END_OF.poll },
      ],
    ],
  },
  {
    name: "digest sent",
    from: "06:00",
    queries: ["digest to send"],
    said: [["06:01", "digest to send", angry("sent-1", "Never again")]],
    changes: [["07:57", "sent-1", { resourceType: "deleted" }]],
    config: {
      digests: [{ name: "morning", at: "08:00", timezone: "UTC", receivers: ["crisis", "reader"] }],
      routes: [{ receivers: ["on-call"], sendResolved: false, repeatEvery: "never" }],
    },
    settled: ["07:55"],
    at: "08:00",
    first: [task.sweep, task.buildDigest("morning", "2026-03-02")],
    pairs: [
      [task.deliver("reader"), task.deliver("reader")],
      [task.deliver("crisis"), task.deliver("crisis")],
      [task.deliver("reader"), task.unsubscribe("morning", "reader")],
      [task.deliver("reader"), task.forget("ann"), { between: /^select body from earshot\.digests/ }],
      [task.deliver("crisis"), task.poll("digest to send", "updated")],
    ],
  },
  {
    name: "dead letter",
    from: "09:00",
    queries: ["letters"],
    said: [["09:01", "letters", { ...calm, resourceId: "letters-1", unstorable: true }]],
    config: { routes: [{ receivers: ["crisis"], repeatEvery: "never" }] },
    settled: ["09:05"],
    at: "09:10",
    pairs: [
      [task.poll("letters"), task.replay],
      [task.replay, task.reload],
    ],
  },
  {
    name: "incident",
    from: "09:00",
    queries: ["crowd and incident"],
    said: [
      [
        "09:06",
        "crowd and incident",
        { sentiment: "negative", snippet: "no refund for the order", count: 7 },
      ],
      ["09:12", "crowd and incident", angry("incident-1", "no refund for the order")],
    ],
    config: { routes: [{ receivers: ["crisis", "team"], repeatEvery: "5m" }] },
    settled: ["09:05", "09:10"],
    at: "09:15",
    pairs: [
      [task.poll("crowd and incident"), task.acknowledge("crowd and incident", "crowd")],
      [task.poll("crowd and incident"), task.resolve("crowd and incident", "crowd")],
      [task.poll("crowd and incident"), task.split("crowd and incident", "complaint")],
      [task.split("crowd and incident", "complaint"), task.acknowledge("crowd and incident", "crowd")],
      [task.split("crowd and incident", "complaint"), task.split("crowd and incident", "complaint")],
      [task.split("crowd and incident", "complaint"), task.decide("crowd and incident")],
      [task.forget("ann"), task.acknowledge("crowd and incident", "crowd")],
    ],
  },
  {
    name: "work on mentions",
    ...ONE_ALERT,
    queries: ["work on mentions"],
    said: [
      ["09:01", "work on mentions", angry("worked-1", "Never again")],
      ["09:02", "work on mentions", angry("worked-2", "I said never")],
    ],
    changes: [["09:07", "worked-2", { resourceType: "deleted" }]],
    at: "09:10",
    first: [task.work("status")],
    pairs: [
      [task.work("assign"), task.work("assign", "bo")],
      [task.work("tag"), task.work("assign", "bo")],
      [task.work("undo"), task.work("assign", "bo")],
      [task.work("note"), task.work("tag", "bo")],
      [task.work("assign"), task.poll("work on mentions", "updated")],
      [task.work("note"), task.forget("ann")],
      [task.work("undo"), task.forget("ann")],
      [task.work("undo"), task.work("undo")],
    ],
  },
  {
    name: "written back",
    ...ONE_ALERT,
    queries: ["written back"],
    said: [
      ["09:01", "written back", { ...angry("back-1", "Well, well"), sentiment: "neutral" }],
      ["09:02", "written back", { ...calm, resourceId: "back-2" }],
    ],
    account: { categories: [{ name: "Subjects", children: ["Price", "Safety"] }] },
    source: { writeCorrections: true },
    at: "09:10",
    first: [task.correctMention("back-1", { sentiment: "negative" })],
    pairs: [
      [task.writeCorrection, task.writeCorrection],
      [task.writeCorrection, task.correctMention("back-1", { sentiment: "positive" }, "bo")],
      [task.writeCorrection, task.correctMention("back-1", { category: 40_002 }, "bo")],
      [task.writeCorrection, task.poll("written back", "updated")],
      [task.writeCorrection, task.forget("ann")],
      [
        task.correctMention("back-1", { sentiment: "positive" }, "bo"),
        task.writeCorrection,
        { begun: END_OF.writing },
      ],
      [task.forget("ann"), task.writeCorrection, { begun: END_OF.writing }],
      [
        task.correctMention("back-2", { category: 40_002 }),
        task.correctMention("back-2", { category: 40_003 }, "bo"),
      ],
      [task.correctMention("back-1", { category: 40_002 }), task.forget("ann")],
    ],
  },
  {
    name: "groups made",
    ...GROUPED,
    first: [task.shareCalls],
    pairs: [
      [task.keepGroups, task.keepGroups],
      [task.keepGroups, task.leaveOut("groups 4")],
    ],
  },
  {
    name: "groups changed",
    ...GROUPED,
    first: [task.shareCalls, task.keepGroups, task.leaveOut("groups 4")],
    pairs: [
      [task.keepGroups, task.keepGroups],
      [task.keepGroups, task.leaveOut("groups 3")],
      [task.keepGroups, task.pollByGroup],
    ],
  },
  {
    name: "groups removed",
    ...GROUPED,
    // The list is an hour old: it is read again.
    at: "10:15",
    first: [
      ["09:06", task.shareCalls],
      ["09:06", task.keepGroups],
      task.leaveOut("groups 4"),
      task.leaveOut("groups 3"),
    ],
    pairs: [[task.keepGroups, task.keepGroups]],
  },
  {
    name: "two incidents",
    from: "09:00",
    queries: ["crowd of two incidents"],
    said: [
      ["09:06", "crowd of two incidents", { ...calm, count: 7 }],
      ["09:12", "crowd of two incidents", angry("two-1", "Never again")],
    ],
    config: { routes: [{ receivers: ["crisis", "team"], repeatEvery: "5m" }] },
    settled: ["09:05", "09:10"],
    at: "09:15",
    pairs: TWO_INCIDENTS,
  },
];

/** An account with the queries and mentions of these scenes. */
export function accountOf(scenes: readonly Scene[], more: Scene["account"] = {}): Account {
  return {
    ...more,
    queries: scenes.flatMap(({ queries }) => queries),
    write: (stream) => {
      for (const { said, changes = [] } of scenes) {
        for (const [at, query, { count, ...what }] of said) {
          if (count === undefined) stream.at(at).mention(query, what);
          else stream.at(at).mentions(query, { count, ...what });
        }
        for (const [at, resourceId, what] of changes) stream.at(at).change(resourceId, what);
      }
    },
  };
}

/** Scenes that write into their account have one of their own. */
export const SCRIPT: Script = {
  ...accountOf(SCENES.filter(({ account }) => account === undefined)),
  rules: RULES,
};
