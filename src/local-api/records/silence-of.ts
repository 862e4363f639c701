import type { SourcePolicy } from "../policy/data-policy.ts";
import { SILENT_ADDITIONS } from "./earlier-additions.ts";
import { SILENT_MENTION } from "./silent-mention.ts";
import type { ViewOptions } from "./view-options.ts";

/** Returns the end of a record: every field of the view that is not among the given ones, with its empty value. */
export type SilenceOf = (record: {
  /** The empty fields stored with the record: they distinguish one kind of mention from another. */
  readonly silence: string;
  readonly source: SourcePolicy;
  readonly fields: Readonly<Record<string, unknown>>;
}) => string;

/** Kinds of mentions are few; a data set with more of them is computed again now and then. */
const REMEMBERED = 5_000;

export function createSilenceOf({ version, text }: Pick<ViewOptions, "version" | "text">): SilenceOf {
  const all: Readonly<Record<string, unknown>> = {
    ...SILENT_MENTION,
    ...(version === "earlier" ? SILENT_ADDITIONS : {}),
    ...(text === "full" ? { fullText: null } : {}),
  };
  const bySource = new Map<SourcePolicy, Map<string, string>>();

  return ({ silence, source, fields }) => {
    const known = bySource.get(source) ?? new Map<string, string>();
    bySource.set(source, known);
    const found = known.get(silence);
    if (found !== undefined) return found;
    const made = silentEnd(all, source, fields);
    if (known.size >= REMEMBERED) known.clear();
    known.set(silence, made);
    return made;
  };
}

/** A withheld field is null, also if its empty value would be a list: callers cannot distinguish the two. */
function silentEnd(
  all: Readonly<Record<string, unknown>>,
  source: SourcePolicy,
  fields: Readonly<Record<string, unknown>>,
): string {
  const silent = Object.entries(all)
    .filter(([name]) => !Object.hasOwn(fields, name))
    .map(([name, value]) => `,"${name}":${JSON.stringify(source.shows(name) ? value : null)}`);
  return `${silent.join("")}}`;
}
