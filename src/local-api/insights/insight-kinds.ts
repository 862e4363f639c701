import type { FieldOf } from "../store/mention-fields.ts";

/** One of the breakdowns of what mentions carry in their text. */
export interface InsightKind {
  /** Mentions are counted for each value of these fields. */
  readonly fields: readonly FieldOf<"texts">[];
  /** Values that differ only in case are one. */
  readonly foldsCase: boolean;
  /** The field of the wire record from which the values could be read, for the data policy. */
  readonly recordField: string;
  labelOf(name: string): string | null;
}

/**
 * Documented for hashtags: `name` with its sign, `label` null. The shape of the other items is not; chosen: the same,
 * with `name` the emoji or emoticon as written in the text, the whole address of the link (labelled with its site), the
 * author's name with its sign. Hashtags and author names are folded to lower case, as the network itself does.
 */
export const INSIGHT_KINDS = {
  hashtags: { fields: ["insightsHashtag"], foldsCase: true, recordField: "insightsHashtag", labelOf: none },
  emoticons: {
    fields: ["insightsEmoji", "insightsEmoticon"],
    foldsCase: false,
    recordField: "snippet",
    labelOf: none,
  },
  sharedsites: {
    fields: ["insightsSharedSite"],
    foldsCase: true,
    recordField: "expandedUrls",
    labelOf: none,
  },
  urls: { fields: ["insightsUrl"], foldsCase: false, recordField: "expandedUrls", labelOf: siteOf },
  mentionedauthors: {
    fields: ["insightsMentioned"],
    foldsCase: true,
    recordField: "insightsMentioned",
    labelOf: none,
  },
} as const satisfies Readonly<Record<string, InsightKind>>;

function none(): null {
  return null;
}

function siteOf(address: string): string | null {
  if (!URL.canParse(address)) return null;
  return new URL(address).hostname.replace(/^www\./, "") || null;
}
