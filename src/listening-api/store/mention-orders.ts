import { type RawBuilder, sql } from "kysely";
import type { FieldOf, MentionField } from "../records/mention-fields.ts";
import { fieldSql } from "./field-sql.ts";

/** The type of a key in an order: a number (of milliseconds, too), or text. */
export type OrderKey = number | string;

export interface MentionOrder {
  readonly name: string;
  /** Never null: mentions without a value come before all others, last when descending. */
  readonly expression: RawBuilder<unknown>;
  /** The value of the expression, which is the column `key`, as it is sent to us. */
  readonly key: RawBuilder<unknown>;
  /** A key that we sent out, as the expression would give it. */
  readonly bound: (key: OrderKey) => RawBuilder<unknown>;
  /** There is an index for each query, so that a page costs what it shows. */
  readonly isIndexed: boolean;
  /**
   * A mention that changes keeps its position, or moves ahead when ascending. In all other orders it may jump from the
   * pages ahead to pages already shown, and would be missed.
   */
  readonly keepsPlace: "always" | "rising" | "never";
}

/** Texts are ordered by this many of their first characters: a key has to fit into a cursor. */
const KEY_CHARACTERS = 100;
const KEY = sql.ref("key");

/** All orders by name. A priority is more than a name: low, medium, high; a status: open, pending, closed. */
export const MENTION_ORDERS: ReadonlyMap<string, MentionOrder> = new Map(
  [
    moment("date", "date", { isIndexed: true, keepsPlace: "always" }),
    moment("added", "added", { isIndexed: true, keepsPlace: "always" }),
    moment("updated", "updated", { isIndexed: true, keepsPlace: "rising" }),
    count("impact", "impact", { isIndexed: true }),
    text("accounttype", "accountType"),
    text("assignment", "assignment"),
    text("author", "author"),
    text("authorVerifiedType", "authorVerifiedType"),
    flag("checked", "checked"),
    count("facebookcomments", "facebookComments"),
    count("facebooklikes", "facebookLikes"),
    text("facebookrole", "facebookRole"),
    count("facebookshares", "facebookShares"),
    text("gender", "gender"),
    count("impressions", "impressions"),
    count("instagramcommentcount", "instagramCommentCount"),
    count("instagramfollowercount", "instagramFollowerCount"),
    count("instagramfollowingcount", "instagramFollowingCount"),
    count("instagraminteractionscount", "instagramInteractionsCount"),
    count("instagramlikecount", "instagramLikeCount"),
    count("instagrampostcount", "instagramPostCount"),
    moment("lastassignmentdate", "lastAssignmentDate"),
    count("linkedinComments", "linkedinComments"),
    count("linkedinEngagement", "linkedinEngagement"),
    count("linkedinImpressions", "linkedinImpressions"),
    count("linkedinLikes", "linkedinLikes"),
    count("linkedinShares", "linkedinShares"),
    count("linkedinVideoViews", "linkedinVideoViews"),
    // The id of a mention is 32 hex digits and the only such value that it has.
    text("md5", "resourceId"),
    count("monthlyvisitors", "monthlyVisitors"),
    ranked("priority", "priority", ["low", "medium", "high"]),
    text("publicationname", "weblogTitle"),
    count("reachestimate", "reachEstimate"),
    text("resourcetype", "resourceType"),
    ranked("status", "status", ["open", "pending", "closed"]),
    text("subtype", "subtype"),
    text("threadentrytype", "threadEntryType"),
    text("title", "title"),
    count("twitterfollowers", "twitterFollowers"),
    count("twitterfollowing", "twitterFollowing"),
    count("twitterLikeCount", "twitterLikeCount"),
    count("twitterpostcount", "twitterPostCount"),
    count("twitterreplycount", "twitterReplyCount"),
    count("twitterretweets", "twitterRetweets"),
    text("twitterrole", "twitterRole"),
    flag("twitterverified", "twitterVerified"),
  ].map((order) => [order.name, order]),
);

type Manner = Partial<Pick<MentionOrder, "isIndexed" | "keepsPlace">>;

function order(name: string, manner: Manner, terms: Pick<MentionOrder, "expression" | "key" | "bound">) {
  return { name, isIndexed: false, keepsPlace: "never" as const, ...manner, ...terms };
}

function moment(name: string, field: FieldOf<"moment">, manner: Manner = {}): MentionOrder {
  const column = fieldSql(field);
  return order(name, manner, {
    expression: field === "lastAssignmentDate" ? sql`coalesce(${column}, to_timestamp(-1e11))` : column,
    key: sql`(extract(epoch from ${KEY}) * 1000)::bigint`,
    // Not as a Date, which writes years before our era in a way of its own.
    bound: (key) => sql`to_timestamp(${Number(key)}::double precision / 1000)`,
  });
}

function count(name: string, field: FieldOf<"number">, manner: Manner = {}): MentionOrder {
  // As the index on impact has it. No count that we store is smaller.
  return numbered(name, sql`coalesce(${fieldSql(field)}, '-9007199254740991'::bigint)`, manner);
}

function flag(name: string, field: FieldOf<"flag">): MentionOrder {
  return numbered(name, sql`coalesce(${fieldSql(field)}::integer, -1)::bigint`);
}

function ranked(name: string, field: FieldOf<"text">, values: readonly string[]): MentionOrder {
  const list = sql.join(values.map((value) => sql.lit(value)));
  return numbered(name, sql`coalesce(array_position(array[${list}], ${fieldSql(field)}), 0)::bigint`);
}

function numbered(name: string, expression: RawBuilder<unknown>, manner: Manner = {}): MentionOrder {
  return order(name, manner, { expression, key: KEY, bound: (key) => sql`${Number(key)}::bigint` });
}

function text(name: string, field: Extract<MentionField, FieldOf<"text">>): MentionOrder {
  return order(
    name,
    {},
    {
      expression: sql`coalesce(left(lower(${fieldSql(field)} collate local_api.folding), ${sql.lit(KEY_CHARACTERS)}), '') collate "C"`,
      key: KEY,
      bound: (key) => sql`${String(key)}::text collate "C"`,
    },
  );
}
