import {
  defineFilter,
  equalsFilter,
  type Filter,
  flagFilter,
  savedListFilter,
  textsFilter,
  vocabularyFilter,
  withTwin,
} from "./define-filter.ts";
import type { MentionCondition } from "./mention-condition.ts";

/** Who wrote, answered, repeated. Names are alike in capitals and small letters, with and without their sign. */
export const peopleFilters: readonly Filter[] = [
  ...withTwin(
    textsFilter((parts) => ({
      kind: "any",
      of: parts.map((text) => ({ kind: "contains", field: "author", text })),
    })),
    "author",
  ),
  ...withTwin(authorsFilter(writtenBy), "exactAuthor"),
  ...withTwin(savedListFilter("author", writtenBy), "authorGroup"),
  ...withTwin(
    authorsFilter((names) => ({
      kind: "all",
      of: [writtenBy(names), { kind: "not", condition: SHARE_OR_REPLY }],
    })),
    "postByAuthor",
  ),
  ...withTwin(authorsFilter(replyTo), "replyToAuthor"),
  ...withTwin(authorsFilter(shareOf), "shareOfAuthor"),
  ...withTwin(
    authorsFilter((names) => named("threadAuthor", names)),
    "threadAuthor",
  ),
  ...withTwin(equalsFilter("threadId"), "threadId"),
  ...withTwin(equalsFilter("threadEntryType"), "threadEntryType"),
  ...withTwin(equalsFilter("twitterAuthorId"), "twitterAuthorId"),
  ...withTwin(equalsFilter("twitterRole"), "twitterRole"),
  flagFilter((value) => ({ kind: "is", field: "twitterVerified", value }))("twitterVerified"),
  ...withTwin(
    // An author, or the post itself.
    authorsFilter((names) => ({ kind: "any", of: [replyTo(names), oneOf("replyTo", names)] })),
    "twitterReplyTo",
  ),
  ...withTwin(
    authorsFilter((names) => ({ kind: "any", of: [shareOf(names), oneOf("retweetOf", names)] })),
    "twitterRetweetOf",
  ),
  ...withTwin(equalsFilter("facebookAuthorId"), "facebookAuthorId"),
  ...withTwin(vocabularyFilter("facebookRole", ["owner", "audience"]), "facebookRole"),
  ...withTwin(
    vocabularyFilter("facebookSubtype", ["link", "other", "photo", "status", "video"]),
    "facebookSubtype",
  ),
];

const SHARE_OR_REPLY: MentionCondition = {
  kind: "any",
  of: [
    { kind: "has", field: "repliedAuthor" },
    { kind: "has", field: "sharedAuthor" },
    { kind: "one-of", field: "threadEntryType", values: ["reply", "share", "comment"] },
  ],
};

function authorsFilter(toCondition: (names: readonly string[]) => MentionCondition) {
  return (name: string): Filter => defineFilter(textsFilter(toCondition)(name));
}

function writtenBy(names: readonly string[]): MentionCondition {
  return named("author", names);
}

function replyTo(names: readonly string[]): MentionCondition {
  return named("repliedAuthor", names);
}

function shareOf(names: readonly string[]): MentionCondition {
  return named("sharedAuthor", names);
}

type NameField = "author" | "threadAuthor" | "repliedAuthor" | "sharedAuthor" | "replyTo" | "retweetOf";

/** Some networks store the sign with the name. */
function named(field: NameField, names: readonly string[]): MentionCondition {
  const bare = names.map((name) => name.replace(/^@/, ""));
  return oneOf(field, [...bare, ...bare.map((name) => `@${name}`)]);
}

function oneOf(field: NameField, values: readonly string[]): MentionCondition {
  return { kind: "one-of", field, values };
}
