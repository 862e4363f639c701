import type { SourcePolicy } from "../policy/data-policy.ts";
import { NAMED_OTHERWISE, wordCount } from "./earlier-additions.ts";
import { excerptOf } from "./excerpt-of.ts";
import type { MentionRecord } from "./mention-record.ts";
import type { StoredRecord, ViewOptions } from "./view-options.ts";

/** Fields of a stored record that say something. */
export type SaidFields = Partial<Record<string, unknown>> & Partial<MentionRecord>;

/**
 * The fields of a mention that have a value in a view. Their names depend only on the stored names, the source and the
 * view, never on a value: so the empty rest can be cached.
 */
export function shownFields(
  said: SaidFields,
  record: StoredRecord,
  view: Pick<ViewOptions, "version" | "text"> & { readonly source: SourcePolicy },
): Record<string, unknown> {
  const { source } = view;
  const fields: Record<string, unknown> = {};
  const show = (name: string, value: unknown) => {
    if (value !== undefined && source.shows(name)) fields[name] = value;
  };

  const cut = source.excerptCharacters === null ? said : { ...said, ...cutFields(said, source) };
  for (const name in cut) if (name !== "snippet" || view.text === "snippet") show(name, cut[name]);
  if (view.text === "full") show("fullText", excerptOf(record.fullText, source.excerptCharacters));
  if (view.version === "earlier") {
    for (const [name, current] of NAMED_OTHERWISE) show(name, said[current]);
    show("id", record.mentionId);
    show("resourceId", record.mentionId);
    show("resourceType", "page");
    show("wordCount", wordCount(record.fullText ?? said.snippet ?? null));
  }
  // Public programs read it of every post on X; the spec lacks it.
  if (source.hasGuid || said.pageType === "twitter") show("guid", guidOf(said.url));
  return fields;
}

/** Of a text that is shown in part, its matches, hashtags and mentioned authors are shown as far as it is. */
function cutFields(said: SaidFields, { excerptCharacters }: SourcePolicy): SaidFields {
  const fields: Record<string, unknown> = {};
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
export function guidOf(url: string | null | undefined): string | null {
  return /\/(\d{1,25})\/?$/.exec(url ?? "")?.[1] ?? null;
}
