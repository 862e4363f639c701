import type { SlackFault } from "../fakes/slack.ts";
import type { StoryMentionFields, Stream } from "../flows/stream.ts";
import type { Corrected } from "./correct-mention.ts";
import type { Account } from "./stage.ts";
import type { Work } from "./work-on-mention.ts";

/** What happens in a chapter, in order. After each of these everything that follows from it is done before the next. */
export type Happening =
  /** Time advances to this moment, in one step: mentions up to then are there. */
  | { readonly until: string }
  /** A person clicks a button of the newest message in a channel that has one. */
  | { readonly press: string; readonly channel: string; readonly option?: string; readonly at: string }
  /** Somebody follows the link in the newest mail to an address that has one. */
  | { readonly unsubscribe: string }
  /** Somebody follows the link in a mail that ends the alert. */
  | { readonly resolve: true }
  /** A person requests the replay of all dead letters. */
  | { readonly replay: true }
  /** Somebody wants what a receiver refused for good to be sent after all. */
  | { readonly redeliver: string }
  /** Somebody works on the mentions of Ann. */
  | { readonly work: Work }
  /** Somebody corrects this mention of the account. */
  | { readonly correct: string; readonly to: Corrected }
  /** Somebody with the keys to the database does this. */
  | { readonly sql: string }
  /** Somebody asks that the mentions of this author be forgotten. */
  | { readonly forget: string }
  /** The background loops have a round each, after so many seconds in which pages were gathered to be counted. */
  | { readonly upkeep: true }
  /** Slack refuses whatever is posted with this error, or takes it again (null). */
  | { readonly slackRefuses: string | null }
  /** What goes wrong with the next calls to Slack: each once, whoever makes the call. */
  | { readonly slackFaults: readonly SlackFault[] };

interface Saying {
  /** So many, `every` so often (a second). */
  readonly count?: number;
  readonly every?: string;
  /** Absent: the one that is named as the chapter. */
  readonly query?: string;
}

/** An independent part of the scenario, with a query of its own. */
export interface Chapter {
  readonly name: string;
  /** Further queries that it watches, and polls with the same calls. */
  readonly also?: readonly string[];
  readonly from: string;
  /** What people say: when, what, and how they change it later. */
  readonly said: readonly (readonly [at: string, what: StoryMentionFields & Saying])[];
  readonly changes?: readonly (readonly [at: string, resourceId: string, what: StoryMentionFields])[];
  /** Facts and messages without which it is not what it is for: each matches a line of what it ends in. */
  readonly shows: readonly RegExp[];
  /** What is in no line. */
  readonly hides?: readonly RegExp[];
  /** Statements that must be among its points: what they do shows in no line. */
  readonly does?: readonly RegExp[];
  /** Done before workers die: it leads to where the chapter begins. */
  readonly before: readonly Happening[];
  readonly happenings: readonly Happening[];
  /** What differs from the configuration of all chapters. */
  readonly config?: {
    readonly routes?: readonly object[];
    readonly escalations?: readonly object[];
    readonly digests?: readonly object[];
    readonly rotations?: readonly object[];
    readonly inhibitions?: readonly object[];
    readonly retention?: string;
    /** More about receivers, by name. */
    readonly receiverSettings?: Readonly<Record<string, object>>;
  };
  /** Mentions on a page of the API. Few: a poll takes several calls, and several commits. */
  readonly pageSize?: number;
  /** What differs from the source of all chapters. */
  readonly source?: object;
  /** Its points, where others are those of other chapters, too. How polls read changes none of them: it has one mode. */
  readonly points?: RegExp;
  /** What its account has besides, where something is written into it: then the account is its own. */
  readonly account?: Pick<Account, "categories" | "rateLimit">;
  /** Workers die from their start on. */
  readonly withStart?: true;
}

export function queriesOf({ name, also = [] }: Pick<Chapter, "name" | "also">): readonly string[] {
  return [name, ...also];
}

/** An account with the queries and mentions of these chapters. */
export function accountOf(chapters: readonly Chapter[], more: NonNullable<Chapter["account"]> = {}): Account {
  return {
    ...more,
    queries: chapters.flatMap(queriesOf),
    write: (stream: Stream) => {
      for (const { name, said, changes = [] } of chapters) {
        for (const [at, { count, every, query = name, ...what }] of said) {
          if (count === undefined) stream.at(at).mention(query, what);
          else stream.at(at).mentions(query, { count, ...(every !== undefined && { every }), ...what });
        }
        for (const [at, resourceId, what] of changes) stream.at(at).change(resourceId, what);
      }
    },
  };
}
