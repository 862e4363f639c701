import type { Pool } from "pg";
import { parseDuration } from "../../src/lib/duration.ts";
import { type Instant, SECOND } from "../../src/lib/instant.ts";
import { type MentionFields, mentionRecord } from "../../src/listening-api/records/mention-record.ts";
import { insightsOf } from "../../src/listening-api/records/text-signs.ts";
import { wireTime } from "../../src/listening-api/records/wire.ts";
import { createDatabase } from "../../src/listening-api/store/database.ts";
import { insertMentions } from "../../src/listening-api/store/insert-mentions.ts";
import type { MentionVersion } from "../../src/listening-api/store/mention-version.ts";
import { storyTime } from "./story-time.ts";

/** The fields of a mention in a story; anything that the API's record has. */
export interface StoryMentionFields
  extends Partial<Omit<MentionFields, "queryId" | "queryName" | "added" | "updated">> {
  /** The API shows it so long after it was added: indexing takes its time. */
  readonly indexedAfter?: string;
  /** A record that cannot be stored, in wire format. */
  readonly unstorable?: boolean;
}

interface Moment {
  /** `date` absent: now. Null: the source withholds it. */
  mention(query: string, said?: StoryMentionFields): void;
  /** So many, `every` so often (a second) from this moment on. */
  mentions(
    query: string,
    said: Omit<StoryMentionFields, "resourceId"> & { count: number; every?: string },
  ): void;
  /** The source changes a mention that it already sent. */
  change(resourceId: string, said: StoryMentionFields): void;
}

export interface Stream {
  at(time: string): Moment;
  /** Stores the mentions since the last call where the API finds them. */
  write(): Promise<void>;
  /** How many different mentions there are. */
  count(): number;
}

/** The mentions of a story, written into the tables of the local Listening API. */
export function createStream(pool: Pool, queries: ReadonlyMap<string, number>): Stream {
  const versions: MentionVersion[] = [];
  let written = 0;
  let next = 1;
  const mention = (at: Instant, query: string, said: StoryMentionFields): void => {
    const queryId = queries.get(query);
    if (queryId === undefined) throw new Error(`the story knows no query ${query}`);
    const resourceId = said.resourceId ?? `mention-${String(next++).padStart(6, "0")}`;
    versions.push(versionOf({ queryId, queryName: query, resourceId, at, added: at, version: 1 }, said));
  };
  return {
    count: () => new Set(versions.map(({ record }) => `${record.queryId} ${record.resourceId}`)).size,
    at: (time) => {
      const at = storyTime(time);
      return {
        mention: (query, said = {}) => mention(at, query, said),
        mentions: (query, { count, every = "1s", ...said }) => {
          const stepMs = parseDuration(every) ?? SECOND;
          for (let i = 0; i < count; i++) mention(at + i * stepMs, query, said);
        },
        change: (resourceId, said) => {
          const index = versions.findLastIndex(({ record }) => record.resourceId === resourceId);
          const before = versions[index];
          if (before === undefined || index < written) {
            throw new Error("a story changes a mention before it makes the mention");
          }
          versions[index] = { ...before, supersededAt: at };
          const { queryId, queryName } = before.record;
          const version = before.version + 1;
          const known = { ...before.record, ...said };
          versions.push(
            versionOf({ queryId, queryName, resourceId, at, added: before.added, version }, known),
          );
        },
      };
    },
    write: async () => {
      await insertMentions(createDatabase(pool), versions.slice(written));
      written = versions.length;
    },
  };
}

interface Place {
  readonly queryId: number;
  readonly queryName: string;
  readonly resourceId: string;
  readonly at: Instant;
  readonly added: Instant;
  readonly version: number;
}

function versionOf(place: Place, said: StoryMentionFields): MentionVersion {
  const { indexedAfter, unstorable, date: when, ...fields } = said;
  const { at, added, version, queryId, queryName, resourceId } = place;
  const date = when === undefined ? added : when === null ? null : Date.parse(when);
  const record = mentionRecord({
    // Like importer and generator: hashtags and names in the text are facts of their own to the API.
    ...insightsOf(fields.snippet ?? ""),
    ...fields,
    queryId,
    queryName,
    resourceId,
    date: date === null ? null : wireTime(date),
    added: wireTime(added),
    updated: wireTime(at),
  });
  return {
    version,
    record: unstorable === true ? { ...record, date: null, added: "soon", updated: "later" } : record,
    date,
    added,
    updated: at,
    visibleAt: at + (indexedAfter === undefined ? 0 : (parseDuration(indexedAfter) ?? 0)),
    supersededAt: null,
    fullText: null,
  };
}
