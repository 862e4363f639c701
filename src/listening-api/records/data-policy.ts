/**
 * What answers may show of mentions, one row per content source (the `pageType` of a mention). A source without a row
 * shows everything. Which policy counts for a call is decided by `dataPolicyOf`.
 */
export const DATA_POLICIES = {
  /** Everything that is stored, exactly as it was found. */
  full: {},
  /** What the contracts with content sources leave of a mention in a hosted service. */
  restricted: {
    twitter: { shows: only(xFields()), excerptCharacters: null, hasGuid: true },
    news: excerpt(256),
    lexis_nexis_licensed_news: excerpt(256),
    linkedin: { shows: allBut(textFields()), excerptCharacters: null, hasGuid: false },
    reddit: { shows: only(["url", "originalUrl", "domain"]), excerptCharacters: null, hasGuid: false },
  },
} as const satisfies Readonly<Record<string, DataPolicy>>;

export type DataPolicyName = keyof typeof DATA_POLICIES;
export type DataPolicy = Readonly<Record<string, SourcePolicy>>;

export interface SourcePolicy {
  /** Whether a field of the record may be shown; a field that may not is null. */
  shows(field: string): boolean;
  /** How much of the text is shown, in UTF-16 code units; null: as much as there is. */
  readonly excerptCharacters: number | null;
  /** The record names the post at its source instead (`guid`, a field that the spec lacks). */
  readonly hasGuid: boolean;
}

/** The row of a source that has none. */
export const OPEN_SOURCE: SourcePolicy = { shows: () => true, excerptCharacters: null, hasGuid: false };

/**
 * Identity of a mention and edits of the client belong to no source and are always shown. `id` and `noteIds` belong to
 * the earlier version of the record.
 */
const ALWAYS_SHOWN: readonly string[] = [
  "resourceId",
  "resourceType",
  "id",
  "guid",
  "queryId",
  "queryName",
  "added",
  "updated",
  "pageType",
  "pageTypeName",
  "assignment",
  "lastAssignmentDate",
  "priority",
  "status",
  "checked",
  "starred",
  "tags",
  "categories",
  "categoryDetails",
  "noteIds",
];

/** The text and everything from which a part of it could be read. */
function textFields(): readonly string[] {
  return [
    "title",
    "snippet",
    "fullText",
    "matchPositions",
    "insightsHashtag",
    "insightsMentioned",
    "displayUrls",
    "expandedUrls",
    "shortUrls",
    "wordCount",
  ];
}

function xFields(): readonly string[] {
  return [
    "accountType",
    "city",
    "cityCode",
    "country",
    "countryCode",
    "classifications",
    "domain",
    "entityInfo",
    "gender",
    "imageInfo",
    "impact",
    "impressions",
    "language",
    "professions",
    "reachEstimate",
    "sentiment",
  ];
}

function excerpt(excerptCharacters: number): SourcePolicy {
  return { shows: () => true, excerptCharacters, hasGuid: false };
}

function only(fields: readonly string[]): SourcePolicy["shows"] {
  const shown = new Set(fields);
  return (field) => shown.has(field) || isAlwaysShown(field);
}

function allBut(fields: readonly string[]): SourcePolicy["shows"] {
  const withheld = new Set(fields);
  return (field) => !withheld.has(field);
}

function isAlwaysShown(field: string): boolean {
  return ALWAYS_SHOWN.includes(field);
}

/** The client tag that names the data policy of a client. */
const DATA_POLICY_TAG = "data.policy";

/**
 * The policy of a call: that of the project, else that of the client (its tag `data.policy`), else `full`. An unknown
 * name is read as `restricted`: a typing error must not show more than was meant.
 */
export function dataPolicyOf(
  client: { readonly tags: Readonly<Record<string, string>> },
  project: { readonly dataPolicy: string | null },
): DataPolicyName {
  const named = project.dataPolicy ?? client.tags[DATA_POLICY_TAG] ?? "full";
  return isDataPolicyName(named) ? named : "restricted";
}

function isDataPolicyName(name: string): name is DataPolicyName {
  return Object.hasOwn(DATA_POLICIES, name);
}

/** Page types whose mentions do not show the field under the policy. */
export function withheldSources(policy: DataPolicyName, field: string): string[] {
  const sources: DataPolicy = DATA_POLICIES[policy];
  return Object.keys(sources).filter((source) => sources[source]?.shows(field) === false);
}
