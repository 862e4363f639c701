import { z } from "zod";
import { EDITABLE } from "../edit/mention-changes.ts";
import { SENTIMENTS } from "../filters/content-filters.ts";

/** The answers of the local API, as its OpenAPI document describes them; tests hold real answers against it. */

const text = z.string();
const maybe = z.string().nullable();
const int = z.int();
const count = z.number();
const Time = z.string().meta({ description: "Such as 2026-02-17T07:36:05.000+0000." });
const Named = z.object({ id: int, name: text });
const NoData = z.object({});
const Filter = z.object({ filter: z.record(text, z.unknown()) });
const Counts = z.record(text, count);

export const Token = z.object({ access_token: text, token_type: text, expires_in: int, scope: text });

export const Client = z.looseObject({
  ...{ id: int, name: text, parentId: int, startDate: Time, tags: z.record(text, text), owner: text },
});

export const Me = z.looseObject({
  ...{ id: int, username: text, uiRole: text, firstName: text, lastName: text, creationDate: Time },
  client: z.looseObject({ id: int, name: text }),
});

export const User = z.object({
  ...{ id: int, username: text, uiRole: text, firstName: text, lastName: text, clientId: int },
  creationDate: Time,
});

export const ProjectSummary = z.object({
  id: int,
  name: text,
  description: text,
  billableClientId: int,
  billableClientName: text,
  timezone: text,
  billableClientIsPitch: z.boolean(),
});

export const Member = z.object({ id: int, username: text, firstName: text, lastName: text, uiRole: text });

export const Project = ProjectSummary.extend({
  defaultLanguage: text,
  defaultLangCodes: z.array(text),
  links: z.record(text, text),
});

export const QuerySummary = z.object({
  ...{ id: int, name: text, type: text, creationDate: Time, lastModificationDate: Time },
  ...{ lastModifiedUsername: text, lockedQuery: z.boolean(), lockedByUsername: maybe },
  createdByWizard: z.boolean(),
});

export const Place = z.object({ id: text, name: text, type: text, fullName: text });
const LocationFilter = z.object({ includedLocations: z.array(Place), excludedLocations: z.array(Place) });

export const Query = QuerySummary.extend({
  ...{ description: text, booleanQuery: maybe, includedTerms: maybe, languages: z.array(text) },
  ...{ languageAgnostic: z.boolean(), contentSources: z.array(text), startDate: Time, sampled: z.boolean() },
  ...{ samplePercentage: count, samplePercent: count, locationFilter: LocationFilter.nullable() },
});

export const DateRange = Named.extend({ queryId: int, startDate: Time, endDate: Time });

const Shared = z.object({
  ...{ id: int, name: text, shared: text, sharedProjectIds: z.array(int) },
  ...{ userId: int.nullable(), userName: maybe },
});

export const QueryGroup = Shared.extend({
  queries: z.array(Named),
  users: z.array(z.object({ id: int, username: text })),
});

export const Category = z.object({
  ...{ id: int, name: text, multiple: z.boolean() },
  children: z.array(Named.extend({ ordering: int })),
});

export const RuleCategory = Category.extend({
  children: z.array(Named.extend({ ordering: int, rules: z.array(Filter) })),
});

export const Tag = Named;

export const RuleTag = Named.extend({
  ...{ displayName: maybe, queryIds: z.array(int).nullable(), rules: z.array(Filter), matchingType: text },
});

/** Tags by their names, subcategories by their ids. */
const RuleAction = z
  .object({
    ...{ sentiment: z.enum(EDITABLE.sentiment), status: z.enum(EDITABLE.status) },
    ...{ priority: z.enum(EDITABLE.priority), assignment: text, checked: z.boolean(), starred: z.boolean() },
    ...{ location: text, removeStatus: z.enum(EDITABLE.status), removePriority: z.enum(EDITABLE.priority) },
    ...{ removeAssignment: text, addTag: z.array(text), removeTag: z.array(text) },
    ...{ addCategories: z.array(int), removeCategories: z.array(int) },
  })
  .partial();

export const Rule = Named.extend({
  ...{ projectId: int, projectName: text, scope: z.enum(["project", "query"]), enabled: z.boolean() },
  /** With mention filters by their names. */
  filter: z.looseObject({ queryId: z.array(int).nullable() }),
  ruleAction: RuleAction,
  ...{ queryName: maybe, categoryId: z.null(), queryIds: z.null() },
  queries: z.array(Named.extend({ sharedWithProjectIds: z.array(int) })),
  ...{ creationDate: Time, lastUpdated: Time, creator: text, modifier: text },
});

export const RuleBackfill = Named.extend({ status: text, mentionsFound: int, mentionsChanged: int });
export const RuleBackfillJob = z.object({ id: int, ruleId: int, requesterId: int, status: text });
export const CategoryBackfill = z.object({ categoryId: int, status: text, type: text });

export const SignalGroup = Named.extend({
  ...{ queryIds: z.array(int), includeTagIds: z.array(int), excludeTagIds: z.array(int) },
  ...{ includeCategoryIds: z.array(int), excludeCategoryIds: z.array(int) },
  subscribers: z.array(z.object({ emailAddress: text, notificationThreshold: int })),
});

export const AuthorList = Shared.extend({ authors: z.array(text) });
export const SiteList = Shared.extend({ domains: z.array(text) });
export const LocationList = Shared.extend({ locations: z.array(Place) });

/** The fields that most programs read. All others of the record are in the description of the service. */
export const Mention = z.looseObject({
  ...{ resourceId: text, queryId: int, queryName: text, added: Time, updated: Time, date: Time.nullable() },
  ...{ title: maybe, url: maybe, author: maybe, domain: maybe, language: maybe },
  ...{ pageType: maybe, resourceType: maybe, sentiment: z.enum(SENTIMENTS).nullable() },
  ...{ guid: maybe, snippet: maybe.optional(), fullText: maybe.optional() },
  ...{ categories: z.array(int), tags: z.array(text), starred: z.boolean(), checked: z.boolean() },
  ...{ status: maybe, priority: maybe, assignment: maybe },
});

export const Mentions = z.object({
  results: z.array(Mention),
  ...{ resultsTotal: int, scaledResultsTotal: int, resultsPage: int, resultsPageSize: int },
  ...{ startDate: Time, endDate: Time, nextCursor: text.optional(), prevCursor: text.optional() },
  ...{ maximumId: int.optional(), maximumIdInResult: int.optional() },
});

export const MentionFound = z.object({ mention: Mention });
export const Count = z.object({ mentionsCount: int });
export const Edited = z.array(z.object({ resourceId: text, queryId: int, updated: Time }));

export const Insights = z.object({
  results: z.array(
    z.object({ name: text, label: maybe, volume: int, tweets: int, retweets: int, impressions: count }),
  ),
  ...{ orderBy: text, orderDirection: text },
});

const Key = z.union([text, int]);
export const Chart = z.object({
  ...{ aggregate: text, dimension1: text, dimension2: text },
  results: z.array(
    z.object({
      ...{ id: Key, name: text, data: NoData },
      values: z.array(z.object({ id: Key, name: text, value: z.union([count, Counts]), data: NoData })),
    }),
  ),
});

const TopData = z.looseObject({
  ...{ volume: int, authorName: maybe, domain: maybe, sentiment: Counts, reachEstimate: count },
});
export const Tops = z.object({
  results: z.array(
    z.object({
      ...{ data: TopData, id: text, name: text },
      values: z.array(Named.extend({ value: z.null(), data: NoData })),
    }),
  ),
});

export const Topics = z.object({
  topics: z.array(
    z.object({
      id: text,
      label: text,
      volume: int,
      type: text,
      sentiment: Counts,
      sentimentScore: int,
      burst: int,
      days: z.array(z.object({ date: text, volume: int })),
      ...{ pageType: Counts, gender: Counts, queries: z.array(Named.extend({ volume: int })) },
    }),
  ),
});

export const NewTopics = z.object({
  topics: z.array(
    z.object({
      ...{ label: text, type: text, volume: int, percentageVolume: count, sentiment: Counts },
      ...{ netSentiment: count, trending: int, gender: Counts },
    }),
  ),
});

export const Values = z.object({ results: z.array(z.object({ id: text, name: text, volume: int })) });
export const Filters = z.record(text, z.null());
export const Metrics = z.record(text, z.array(text));
export const Names = z.array(z.object({ id: text, name: text }));
export const Places = z.array(Place);
export const Workflow = z.array(Named.extend({ children: z.array(Named.extend({ ordering: int })) }));
export const Nothing = z.object({});
export const Deleted = Named;
export const Backfill = z.object({
  ...{ id: int, queryId: int, minDate: Time, maxDate: Time, mentionsFound: int, status: text },
  statusMessages: z.array(text),
});
export const BackfillDone = Backfill.extend({ mentions: int });

const Problem = z.object({ rule: text, message: text, start: int, end: int, severity: text.optional() });
export const Validation = z.object({ errors: z.array(Problem), issues: z.array(Problem) });

export const Explained = z.object({
  ...{ known: z.boolean(), resourceId: maybe, withheld: z.array(text) },
  queries: z.array(
    Named.extend({
      ...{ outcome: text, message: text, added: Time.nullable(), visibleAt: Time.nullable() },
      miss: z.unknown(),
    }),
  ),
});

/** This very document. */
export const Document = z.looseObject({ openapi: text, info: z.looseObject({}), paths: z.looseObject({}) });

export const Failure = z.object({ errors: z.array(z.object({ code: int, message: text })) });
/** Of logins and tokens, and of the server's own failures. */
export const OauthFailure = z.object({ error: text, error_description: text });
