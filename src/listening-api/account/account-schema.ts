import { z } from "zod";
import { parseDuration } from "../../lib/duration.ts";
import { DAY, SECOND, toIso } from "../../lib/instant.ts";
import type { JsonValue } from "../../lib/json.ts";
import { isNamedZone } from "../../lib/local-time.ts";
import { readDate } from "../../lib/read-date.ts";
import { storableText } from "../../lib/text.ts";
import { EDITABLE } from "../edit/mention-changes.ts";
import { GAZETTEER } from "../places/gazetteer.ts";
import { compile } from "../query-language/compile.ts";
import { DATA_POLICIES, type DataPolicyName } from "../records/data-policy.ts";
import { PAGE_TYPES } from "../records/page-types.ts";
import { isMailAddress, THRESHOLDS } from "../resources/signal-groups.ts";
import { QUERY_TYPES } from "../store/queries.ts";
import { RECEIVED_TYPE } from "../store/received-items.ts";
import { LIST_SHARINGS } from "../store/saved-lists.ts";

/** Roles that the service knows; only the first two may use the API. */
const ROLES = ["Admin", "Regular", "Viewer"] as const;

export type Fields = Readonly<Record<string, JsonValue>>;

interface KindOf {
  /** The list of them in the file. */
  readonly section: string;
  /** What a file may leave out, and `get` does: the value of a new thing. */
  readonly defaults: Fields;
  readonly parts: readonly Kind[];
}

export type Kind =
  | "account"
  | "user"
  | "client"
  | "project"
  | "query"
  | "query group"
  | "category"
  | "subcategory"
  | "tag"
  | "rule"
  | "signal group"
  | "site list"
  | "author list"
  | "location list";

const LIST: Pick<KindOf, "defaults" | "parts"> = { defaults: { shared: "public" }, parts: [] };

/** Every kind of thing in an account file: where it stands, what it contains. */
export const KINDS: Readonly<Record<Kind, KindOf>> = {
  account: {
    section: "",
    defaults: { keepMentionsFrom: null, keepMentionsFor: null },
    parts: ["client", "user"],
  },
  user: {
    section: "users",
    defaults: { firstName: "", lastName: "", tokenLifetime: null, rateLimit: null, clients: {} },
    parts: [],
  },
  client: {
    section: "clients",
    defaults: { rateLimit: null, tags: {}, details: {} },
    parts: ["project", "site list", "author list", "location list"],
  },
  project: {
    section: "projects",
    defaults: { timezone: "Etc/UTC", description: "", language: "en", dataPolicy: null },
    parts: ["query", "query group", "category", "tag", "rule", "signal group"],
  },
  query: {
    section: "queries",
    defaults: {
      type: "search string",
      text: null,
      sample: 100,
      description: "",
      languages: [],
      contentSources: null,
      startDate: null,
      locationFilter: null,
      dateRanges: [],
    },
    parts: [],
  },
  "query group": { section: "queryGroups", defaults: { shared: "public", projects: null }, parts: [] },
  category: { section: "categories", defaults: { multiple: true }, parts: ["subcategory"] },
  subcategory: { section: "children", defaults: { rules: [] }, parts: [] },
  tag: { section: "tags", defaults: { rules: [] }, parts: [] },
  rule: { section: "rules", defaults: { enabled: true, queries: null, filter: {} }, parts: [] },
  "signal group": {
    section: "signalGroups",
    defaults: { includeTags: [], excludeTags: [], includeCategories: [], excludeCategories: [] },
    parts: [],
  },
  "site list": { section: "siteLists", ...LIST },
  "author list": { section: "authorLists", ...LIST },
  "location list": { section: "locationLists", ...LIST },
};

/** Fields of a login that only go in: no list, file or message shows them. */
export const SECRETS = ["password", "passwordFile"] as const;

const text = (max: number) =>
  z
    .string()
    .max(max)
    .refine((given) => storableText(given) === given, "expected text without U+0000 and broken characters");
const Name = text(255).refine((given) => given.trim() !== "", "expected a name, got blanks");
const names = (max: number) => z.array(Name).max(max);
const Id = z.int().min(1).optional();

const Rules = z.array(z.strictObject({ filter: z.record(z.string(), z.json()) })).max(100);

const BooleanText = text(50_000).superRefine((given, context) => {
  const compiled = compile(given);
  if (compiled.ok) return;
  for (const { severity, start, message } of compiled.problems)
    if (severity === "error")
      context.addIssue({ code: "custom", message: `character ${start + 1}: ${message}` });
});

const EXPECTED_LIMIT = "expected calls/minutes such as 600/10";

const Moment = z.string().transform((given, context) => {
  const at = readDate(given, {});
  if (at !== undefined) return toIso(at);
  context.addIssue({ code: "custom", message: "expected a date or date-time such as 2026-03-01" });
  return z.NEVER;
});

/** Of a project: a day alone stays one, and is read in the time zone of the project (`local-days.ts`). */
const MomentOrDay = z.string().transform((given, context) => {
  const at = readDate(given, {});
  if (at === undefined) {
    context.addIssue({ code: "custom", message: "expected a date or date-time such as 2026-03-01" });
    return z.NEVER;
  }
  return /^[^:T]*$/.test(given) && readDate(given, { timezone: "Asia/Tokyo" }) !== at
    ? toIso(at).slice(0, 10)
    : toIso(at);
});

const Place = z
  .string()
  .refine((id) => GAZETTEER.has(id), 'expected the id of a location such as "gb", "us-ma" or "bos1"');
const places = z.array(Place).max(1_000).default([]);

const DateRange = z
  .strictObject({ name: Name, startDate: MomentOrDay, endDate: MomentOrDay })
  .refine(({ startDate, endDate }) => startDate.length !== endDate.length || startDate < endDate, {
    path: ["endDate"],
    message: "expected a moment after startDate",
  });

const Query = z
  .strictObject({
    name: Name.refine((name) => name !== RECEIVED_TYPE, "feeds keep what they bring under this name"),
    id: Id,
    type: z.enum(QUERY_TYPES).optional(),
    text: BooleanText.nullable().optional(),
    /** Per cent of the matching mentions that are kept. */
    sample: z.number().min(0.001).max(100).optional(),
    description: text(10_000).optional(),
    languages: z.array(text(20)).max(200).optional(),
    contentSources: z.array(z.enum(PAGE_TYPES)).max(100).nullable().optional(),
    startDate: MomentOrDay.nullable().optional(),
    locationFilter: z
      .strictObject({ includedLocations: places, excludedLocations: places })
      .nullable()
      .optional(),
    dateRanges: z.array(DateRange).max(1_000).optional(),
  })
  .refine(({ type = "search string", text: given }) => type === "search string" || given == null, {
    path: ["text"],
    message: 'only a query of the type "search string" has a text',
  });

const sharing = { shared: z.enum(LIST_SHARINGS).optional(), owner: Name.optional() };
const QueryGroup = z.strictObject({
  name: Name,
  id: Id,
  queries: names(1_000),
  ...sharing,
  /** Default: its own. */
  projects: names(1_000).nullable().optional(),
});

const list = <Entries extends z.ZodType>(field: string, entries: Entries) =>
  z.strictObject({
    name: Name,
    id: Id,
    ...sharing,
    /** Where it shows. Default: all projects of the client. */
    projects: names(1_000).optional(),
    [field]: z
      .array(entries)
      .max(1_000)
      .transform((given) => [...new Set(given)]),
  });
const Label = z.strictObject({ name: Name, id: Id, rules: Rules.optional() });
const Category = z.strictObject({
  name: Name,
  id: Id,
  multiple: z.boolean().optional(),
  children: z.array(Label).max(1_000).optional(),
});

/** As in an edit of a mention; a subcategory behind its category. */
const labels = z
  .array(z.tuple([Name, Name]))
  .min(1)
  .max(100)
  .optional();
const Action = z
  .strictObject({
    sentiment: z.enum(EDITABLE.sentiment).optional(),
    status: z.enum(EDITABLE.status).optional(),
    priority: z.enum(EDITABLE.priority).optional(),
    assignment: Name.optional(),
    checked: z.boolean().optional(),
    starred: z.boolean().optional(),
    location: Place.optional(),
    removeStatus: z.enum(EDITABLE.status).optional(),
    removePriority: z.enum(EDITABLE.priority).optional(),
    removeAssignment: Name.optional(),
    addTag: names(100).min(1).optional(),
    removeTag: names(100).min(1).optional(),
    addCategories: labels,
    removeCategories: labels,
  })
  .refine((action) => Object.keys(action).length > 0, "expected something to do, such as addTag: [urgent]");

const Rule = z.strictObject({
  name: Name,
  id: Id,
  enabled: z.boolean().optional(),
  /** Default: those of the whole project. */
  queries: names(1_000).min(1).nullable().optional(),
  filter: z.record(z.string(), z.json()).optional(),
  action: Action,
});

const categories = z.array(z.array(Name).min(1).max(2)).max(1_000).optional();
const SignalGroup = z.strictObject({
  name: Name,
  id: Id,
  queries: names(1_000).min(1),
  includeTags: names(1_000).optional(),
  excludeTags: names(1_000).optional(),
  /** `[Topics]`, or a subcategory behind its category: `[Topics, Price]`. */
  includeCategories: categories,
  excludeCategories: categories,
  subscribers: z
    .array(
      z.strictObject({
        emailAddress: z.string().refine(isMailAddress, "expected an address such as ann@acme.example"),
        notificationThreshold: z
          .number()
          .refine((given) => THRESHOLDS.includes(given), "expected 1 (all), 2 (medium and high) or 3 (high)"),
      }),
    )
    .max(1_000),
});

const Project = z.strictObject({
  name: Name,
  id: Id,
  timezone: z.string().refine(isNamedZone, "expected an IANA zone such as Europe/Berlin").optional(),
  description: text(10_000).optional(),
  /** Of records, ISO 639-1. */
  language: text(20).optional(),
  dataPolicy: z
    .enum(Object.keys(DATA_POLICIES) as [DataPolicyName, ...DataPolicyName[]])
    .nullable()
    .optional(),
  queries: z.array(Query).optional(),
  queryGroups: z.array(QueryGroup).optional(),
  categories: z.array(Category).optional(),
  tags: z.array(Label).optional(),
  rules: z.array(Rule).max(5_000).optional(),
  signalGroups: z.array(SignalGroup).optional(),
});

const RateLimit = z
  .string(EXPECTED_LIMIT)
  .regex(/^[1-9]\d{0,8}\/[1-9]\d{0,5}$/, EXPECTED_LIMIT)
  .nullable()
  .optional();

const Client = z.strictObject({
  name: Name,
  id: Id,
  rateLimit: RateLimit,
  tags: z.record(text(255), text(1_000)).optional(),
  details: z
    .record(text(255), z.union([text(10_000), z.number(), z.boolean(), z.null()], "expected one value"))
    .optional(),
  projects: z.array(Project).optional(),
  siteLists: z.array(list("domains", text(500))).optional(),
  authorLists: z.array(list("authors", text(500))).optional(),
  locationLists: z.array(list("locations", Place)).optional(),
});

const Lifetime = z.string().transform((given, context) => {
  const seconds = Math.round((parseDuration(given) ?? 0) / SECOND);
  if (seconds >= 1 && seconds < 2 ** 31) return `${seconds}s`;
  context.addIssue({ code: "custom", message: "expected a duration such as 1h or 30d" });
  return z.NEVER;
});

const User = z.strictObject({
  username: Name,
  id: Id,
  /** A new login without a password gets one, which is shown once. */
  password: z.string().min(1).max(1_000).optional(),
  /** Its first line is the password. */
  passwordFile: z.string().min(1).optional(),
  firstName: text(255).optional(),
  lastName: text(255).optional(),
  tokenLifetime: Lifetime.nullable().optional(),
  /** Its own limit, beside that of its client: `60/1`. */
  rateLimit: RateLimit,
  /** Role by client. */
  clients: z.record(z.string(), z.enum(ROLES)).optional(),
});

const KeptFor = z.string().transform((given, context) => {
  const days = (parseDuration(given) ?? 0) / DAY;
  // Nothing is dropped sooner than the file says.
  if (days >= 1 && days < 100_000) return `${Math.ceil(days)}d`;
  context.addIssue({ code: "custom", message: "expected a duration of at least a day such as 400d" });
  return z.NEVER;
});

export type AccountContent = z.output<typeof AccountContent>;
export const AccountContent = z.strictObject({
  clients: z.array(Client).optional(),
  users: z.array(User).optional(),
  /** Whole months of mentions before it are dropped, of all clients. */
  keepMentionsFrom: Moment.nullable().optional(),
  /** Servers drop whole months that ended longer ago, every hour, of all clients. */
  keepMentionsFor: KeptFor.nullable().optional(),
});

/** For editors. Zones, locations, dates and Boolean texts are only checked by `apply`. */
export function accountJsonSchema(): object {
  const schema = z.toJSONSchema(AccountContent, {
    io: "input",
    target: "draft-7",
    // A tag or subcategory without rules may be its name alone.
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema !== Label) return;
      const whole = { ...jsonSchema };
      for (const key of Object.keys(jsonSchema)) delete jsonSchema[key as keyof typeof jsonSchema];
      jsonSchema.anyOf = [{ type: "string" }, whole];
    },
  });
  return { title: "account.yaml", ...schema };
}
