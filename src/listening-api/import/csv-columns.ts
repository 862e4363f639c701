import { closestWord } from "../../lib/closest-word.ts";
import { UserError } from "../../lib/errors.ts";
import { ImportLine } from "./import-line.ts";

/** The column of each field of a line in a CSV file. */
export type CsvColumns = ReadonlyMap<string, number>;

/** Fields that a line can have. */
export const IMPORT_FIELDS: readonly string[] = [
  ...new Set([...Object.keys(ImportLine.shape), "resourceId", "queryName", "fullText"]),
];

/** What columns of other people's files are often called. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  id: ["mentionid", "postid", "tweetid", "statusid", "guid", "uuid"],
  text: ["content", "message", "body", "tweet", "tweettext", "post", "posttext", "review", "comment"],
  date: ["createdat", "created", "timestamp", "datetime", "published", "publishedat", "tweetcreated", "time"],
  author: ["username", "user", "name", "screenname", "authorname", "handle"],
  brand: ["query", "airline", "company", "product", "topic"],
  url: ["link", "permalink"],
  sentiment: ["airlinesentiment", "polarity"],
  language: ["lang"],
  location: ["place", "tweetlocation", "userlocation"],
  coordinates: ["tweetcoord", "geo"],
  followers: ["followercount", "followerscount"],
  retweets: ["retweetcount"],
  likes: ["likecount", "favorites", "favoritecount", "favouritescount"],
  negativeReason: ["negativereason"],
};

/**
 * Uses explicit columns (`field=column`), then columns with the name of a field, then known names for one. Throws a
 * `UserError` for an unknown field or column, and if no column has a text.
 */
export function csvColumns(header: readonly string[], mapped: Readonly<Record<string, string>>): CsvColumns {
  const columns = new Map<string, number>();
  const free = new Set(header.keys());
  const assign = (field: string, at: number): void => {
    columns.set(field, at);
    free.delete(at);
  };
  for (const [field, column] of Object.entries(mapped))
    assign(knownField(field), columnNamed(header, column));
  const plain = header.map(plainName);
  const assignAlike = (field: string, name: string): void => {
    const at = plain.indexOf(name);
    if (at !== -1 && free.has(at) && !columns.has(field)) assign(field, at);
  };
  for (const field of IMPORT_FIELDS) assignAlike(field, plainName(field));
  for (const [field, names] of Object.entries(OTHER_NAMES))
    for (const name of names) assignAlike(field, name);
  const missing = ["text", "date"].filter((field) => !REPLACED_BY[field]?.some((name) => columns.has(name)));
  if (missing.length > 0)
    throw new UserError(`No column of the file is known as ${missing.join(" or ")}.`, [
      ...missing.map((field) => `--map ${field}=COLUMN says which`),
      `columns: ${header.join(", ")}`,
    ]);
  return columns;
}

const REPLACED_BY: Readonly<Record<string, readonly string[]>> = {
  text: ["text", "fullText", "snippet"],
  date: ["date", "added"],
};

function knownField(field: string): string {
  if (IMPORT_FIELDS.includes(field)) return field;
  const meant = closestWord(field, IMPORT_FIELDS);
  throw new UserError(`--map ${field}=…: there is no field ${JSON.stringify(field)}.`, [
    ...(meant === undefined ? [] : [`perhaps ${meant}`]),
    `fields: ${IMPORT_FIELDS.join(", ")}`,
  ]);
}

function columnNamed(header: readonly string[], column: string): number {
  const exact = header.indexOf(column);
  const at = exact === -1 ? header.map(plainName).indexOf(plainName(column)) : exact;
  if (at !== -1) return at;
  throw new UserError(`--map …=${column}: the file has no column ${JSON.stringify(column)}.`, [
    `columns: ${header.join(", ")}`,
  ]);
}

function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}
