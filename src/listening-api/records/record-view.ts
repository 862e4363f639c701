import type { ParameterReader } from "../parameters/parameter-reader.ts";
import {
  DATA_POLICIES,
  type DataPolicy,
  type DataPolicyName,
  OPEN_SOURCE,
  type SourcePolicy,
} from "./data-policy.ts";
import { EMPTY_ADDITIONS, EMPTY_MENTION, NAMED_OTHERWISE, wordCount } from "./empty-fields.ts";
import type { MentionRecord } from "./mention-record.ts";
import { excerptOf } from "./mention-text.ts";
import { unpackRecord } from "./packed-record.ts";

/** The two shapes of a mention that the API has had. */
const RECORD_VERSIONS = ["current", "earlier"] as const;
export type RecordVersion = (typeof RECORD_VERSIONS)[number];

/** The client tag that names the version for all calls of a client. */
const RECORD_VERSION_TAG = "mentions.version";
/** The parameter that names it for one call. */
const RECORD_VERSION_PARAMETER = "mentionVersion";

/**
 * The version in which a call wants its mentions: the parameter `mentionVersion`, else the client's tag
 * `mentions.version`, else the current one. The spec leaves open how a version is chosen.
 */
export function readRecordVersion(
  parameters: ParameterReader,
  client: { readonly tags: Readonly<Record<string, string>> },
): RecordVersion {
  const version = parameters.oneOf(RECORD_VERSION_PARAMETER, RECORD_VERSIONS);
  return version ?? (client.tags[RECORD_VERSION_TAG] === "earlier" ? "earlier" : "current");
}

/** How a call wants its mentions shown. */
export interface ViewOptions {
  readonly version: RecordVersion;
  readonly policy: DataPolicyName;
  /** `full`: the field `fullText` is there and `snippet` is null. */
  readonly text: "snippet" | "full";
}

/** A mention as the store keeps it. */
interface StoredRecord {
  readonly filledFields: string;
  readonly emptyFields: string;
  readonly mentionId: number;
  /** Null when there is none, or when the view does not need it. */
  readonly fullText: string | null;
}

export interface RecordView {
  /** The store has to give the full text along. */
  readonly needsFullText: boolean;
  /** The wire record as JSON text. */
  render(record: StoredRecord): string;
}

/**
 * `guid` is the only field that a view adds to what is stored; done without taking the record apart. Other addresses
 * stand behind the record's own one, in lists.
 */
function withGuid(filledFields: string): string {
  const [found = "", url] = /,"url":("(?:[^"\\]|\\.)*")/.exec(filledFields) ?? [];
  const isOwn = url !== undefined && !LISTS.test(filledFields.slice(0, filledFields.indexOf(found)));
  return `${filledFields},"guid":${JSON.stringify(isOwn ? guidOf(JSON.parse(url)) : null)}`;
}

const LISTS = /,"(?:imageInfo|entityInfo)":\[/;

/**
 * Makes wire records of stored ones. What is stored is the current version with all its values, so that this,
 * the usual view, costs a concatenation; the others take the filled fields apart and put them together again, and
 * remember what the empty ones look like for each kind of mention.
 */
export function createRecordView(options: ViewOptions): RecordView {
  const { version, text } = options;
  const policy: DataPolicy = DATA_POLICIES[options.policy];
  const isAsStored = version === "current" && text === "snippet" && Object.keys(policy).length === 0;
  const emptyFieldsOf = createEmptyFieldsOf(options);
  if (isAsStored) {
    return {
      needsFullText: false,
      render: ({ filledFields, emptyFields }) => unpackRecord(withGuid(filledFields), emptyFields),
    };
  }
  return {
    // The earlier version counts the words of the text.
    needsFullText: text === "full" || version === "earlier",
    render(record) {
      const filled = JSON.parse(`${record.filledFields}}`) as FilledFields;
      const name = typeof filled["pageType"] === "string" ? filled["pageType"] : "";
      const source = Object.hasOwn(policy, name) ? (policy[name] ?? OPEN_SOURCE) : OPEN_SOURCE;
      const fields = shownFields(filled, record, { version, text, source });
      const emptyFields = emptyFieldsOf({ emptyFields: record.emptyFields, source, fields });
      return unpackRecord(JSON.stringify(fields).slice(0, -1), emptyFields);
    },
  };
}

/** Returns the end of a record: every field of the view that is not among the given ones, with its empty value. */
type EmptyFieldsOf = (record: {
  /** The empty fields stored with the record: they distinguish one kind of mention from another. */
  readonly emptyFields: string;
  readonly source: SourcePolicy;
  readonly fields: Readonly<Record<string, unknown>>;
}) => string;

/** Kinds of mentions are few; a data set with more of them is computed again now and then. */
const REMEMBERED = 5_000;

function createEmptyFieldsOf({ version, text }: Pick<ViewOptions, "version" | "text">): EmptyFieldsOf {
  const all: Readonly<Record<string, unknown>> = {
    ...EMPTY_MENTION,
    ...(version === "earlier" ? EMPTY_ADDITIONS : {}),
    ...(text === "full" ? { fullText: null } : {}),
  };
  const bySource = new Map<SourcePolicy, Map<string, string>>();

  return ({ emptyFields, source, fields }) => {
    const known = bySource.get(source) ?? new Map<string, string>();
    bySource.set(source, known);
    const found = known.get(emptyFields);
    if (found !== undefined) return found;
    const made = emptyEnd(all, source, fields);
    if (known.size >= REMEMBERED) known.clear();
    known.set(emptyFields, made);
    return made;
  };
}

/** A withheld field is null, also if its empty value would be a list: callers cannot distinguish the two. */
function emptyEnd(
  all: Readonly<Record<string, unknown>>,
  source: SourcePolicy,
  fields: Readonly<Record<string, unknown>>,
): string {
  const empty = Object.entries(all)
    .filter(([name]) => !Object.hasOwn(fields, name))
    .map(([name, value]) => `,"${name}":${JSON.stringify(source.shows(name) ? value : null)}`);
  return `${empty.join("")}}`;
}

/** The fields of a stored record that have a value. */
type FilledFields = Partial<Record<string, unknown>> & Partial<MentionRecord>;

/**
 * The fields of a mention that have a value in a view. Their names depend only on the stored names, the source and the
 * view, never on a value: so the empty rest can be cached.
 */
function shownFields(
  filled: FilledFields,
  record: StoredRecord,
  view: Pick<ViewOptions, "version" | "text"> & { readonly source: SourcePolicy },
): Record<string, unknown> {
  const { source } = view;
  const fields: Record<string, unknown> = {};
  const show = (name: string, value: unknown) => {
    if (value !== undefined && source.shows(name)) fields[name] = value;
  };

  const cut = source.excerptCharacters === null ? filled : { ...filled, ...cutFields(filled, source) };
  for (const name in cut) if (name !== "snippet" || view.text === "snippet") show(name, cut[name]);
  if (view.text === "full") show("fullText", excerptOf(record.fullText, source.excerptCharacters));
  if (view.version === "earlier") {
    for (const [name, current] of NAMED_OTHERWISE) show(name, filled[current]);
    show("id", record.mentionId);
    show("resourceId", record.mentionId);
    show("resourceType", "page");
    show("wordCount", wordCount(record.fullText ?? filled.snippet ?? null));
  }
  // Public programs read it of every mention; the spec lacks it.
  fields["guid"] = source === OPEN_SOURCE || source.hasGuid ? guidOf(filled.url) : null;
  return fields;
}

/** Of a text that is shown in part, its matches, hashtags and mentioned authors are shown as far as it is. */
function cutFields(filled: FilledFields, { excerptCharacters }: SourcePolicy): FilledFields {
  const fields: Record<string, unknown> = {};
  const shown = excerptOf(filled.snippet ?? "", excerptCharacters) ?? "";
  if (filled.snippet !== undefined) fields["snippet"] = shown;
  if (filled.matchPositions !== undefined) {
    fields["matchPositions"] = filled.matchPositions.filter(
      ({ start, length }) => start + length <= shown.length,
    );
  }
  for (const name of ["insightsHashtag", "insightsMentioned"] as const) {
    const values = filled[name];
    if (values !== undefined) fields[name] = values.filter((value) => shown.includes(value));
  }
  return fields;
}

/** The number of a post at its network, with which its text can be fetched there: the digits at the end of its address. */
function guidOf(url: string | null | undefined): string | null {
  return /\/(\d{1,25})\/?$/.exec(url ?? "")?.[1] ?? null;
}

/** The views of a server. They are few, and each remembers what it worked out for the kinds of mentions it met. */
export interface RecordViews {
  of(options: ViewOptions): RecordView;
}

export function createRecordViews(): RecordViews {
  const views = new Map<string, RecordView>();
  return {
    of(options) {
      const key = [options.version, options.policy, options.text].join(" ");
      const view = views.get(key) ?? createRecordView(options);
      views.set(key, view);
      return view;
    },
  };
}
