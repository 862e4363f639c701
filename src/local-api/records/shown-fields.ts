import type { SourcePolicy } from "../policy/data-policy.ts";
import { earlierAdditions, wordCount } from "./earlier-additions.ts";
import { excerptOf } from "./excerpt-of.ts";
import type { MentionRecord } from "./mention-record.ts";
import type { StoredRecord, ViewOptions } from "./view-options.ts";

/** Fields of a stored record that say something. */
export type SaidFields = Partial<Record<string, unknown>> & Partial<MentionRecord>;

/**
 * The fields of a mention that say something in a view. Which names there are depends only on the names that are
 * said, on the source and on the view, never on a value: that is what lets the silent rest be remembered.
 */
export function shownFields(
  said: SaidFields,
  record: StoredRecord,
  view: Pick<ViewOptions, "version" | "text"> & { readonly source: SourcePolicy },
): Record<string, unknown> {
  const { source } = view;
  const fields: Record<string, unknown> = source.excerptCharacters === null ? { ...said } : cut(said, source);
  if (view.version === "earlier") {
    Object.assign(fields, earlierAdditions(said), {
      id: record.mentionId,
      resourceId: record.mentionId,
      resourceType: "page",
      wordCount: wordCount(record.fullText ?? said.snippet ?? null),
    });
  }
  if (view.text === "full") {
    delete fields["snippet"];
    fields["fullText"] = excerptOf(record.fullText, source.excerptCharacters);
  }
  if (source.hasGuid) fields["guid"] = guidOf(said.url);
  for (const name of Object.keys(fields)) if (!source.shows(name)) delete fields[name];
  return fields;
}

/** Of a text that is shown in part, its matches, hashtags and mentioned authors are shown as far as it is. */
function cut(said: SaidFields, { excerptCharacters }: SourcePolicy): Record<string, unknown> {
  const fields: Record<string, unknown> = { ...said };
  const shown = excerptOf(said.snippet ?? "", excerptCharacters) ?? "";
  if (said.snippet !== undefined) fields["snippet"] = shown;
  if (said.matchPositions !== undefined) {
    fields["matchPositions"] = said.matchPositions.filter(
      ({ start, length }) => start + length <= shown.length,
    );
  }
  for (const name of ["insightsHashtag", "insightsMentioned"] as const) {
    const values = said[name];
    if (values !== undefined) fields[name] = values.filter((value) => shown.includes(value));
  }
  return fields;
}

/** The number of a post at its network, with which its text can be fetched there: the digits at the end of its address. */
function guidOf(url: string | null | undefined): string | null {
  return /\/(\d{1,25})\/?$/.exec(url ?? "")?.[1] ?? null;
}
