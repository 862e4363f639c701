import type { Instant } from "../../lib/instant.ts";
import type { Actor } from "./alert-action.ts";
import type { Mention } from "./mention.ts";

/** An author whom people put on a list of theirs. */
export interface ListedAuthor {
  readonly id: string;
  /** The name of the list: VIP, press, customers. */
  readonly list: string;
  /** The handle without `@`, or the name of an author without one. */
  readonly author: string;
  /** The name that was shown beside the handle; null: none. */
  readonly name: string | null;
  /** The only site on which that is this author; null: on every site. */
  readonly site: string | null;
  readonly note: string;
  readonly actor: Actor;
  readonly at: Instant;
}

/** What is shown of it beside what the author says. */
export type AuthorListing = Pick<ListedAuthor, "id" | "list" | "site" | "note">;

/** The mentions of the authors of a list in a period, and in the one before. */
export interface ListSums {
  readonly list: string;
  /** Who spoke in the period. */
  readonly authors: number;
  readonly mentions: number;
  readonly negative: number;
  readonly before: number;
}

export const LONGEST_LIST_NAME = 40;
export const LONGEST_LIST_NOTE = 500;

/** As authors are counted and listed: by the handle, or by the name where there is none. Null: nobody is named. */
export function authorKeyOf({ author, authorName }: Pick<Mention, "author" | "authorName">): string | null {
  const handle = author?.replace(/^@+/, "") ?? "";
  return handle === "" ? authorName : handle;
}
