import { formatDuration } from "../../lib/duration.ts";
import { plainLine } from "../../lib/text.ts";
import { isTeaser } from "../common/decide-completeness.ts";
import type { ListedDocument } from "../common/define-feed.ts";
import type { FeedNotes } from "../store/feeds.ts";
import { describeLanguages, type LanguageCount } from "./count-languages.ts";

const LONGEST_ADDRESS = 300;

/** What people should know of a feed that was fetched. A document that has not changed says nothing new of itself. */
export function notesOf({
  document,
  languages,
  movedTo = null,
  everyMs,
  configuredMs,
  isPushed,
}: {
  readonly document: ListedDocument | null;
  readonly languages: LanguageCount;
  readonly movedTo?: string | null | undefined;
  readonly everyMs: number;
  readonly configuredMs: number;
  readonly isPushed: boolean;
}): FeedNotes {
  const moved =
    movedTo === null
      ? null
      : `its address has moved for good, to ${plainLine(movedTo, LONGEST_ADDRESS)}: write that into earshot.yaml`;
  const hub = isPushed
    ? `its hub pushes what is new; besides, it is read every ${formatDuration(everyMs)}`
    : null;
  if (document === null) return { moved, hub };
  const { coversMs, usualLength } = document;
  const often = `is read every ${formatDuration(everyMs)}`;
  const faster =
    everyMs < configuredMs ? ` (and not every ${formatDuration(configuredMs)}, as it turns over fast)` : "";
  return {
    ...{ moved, hub },
    covers:
      coversMs === null ? null : `its document covers ${formatDuration(coversMs)}, and ${often}${faster}`,
    teaser: isTeaser(document)
      ? `a teaser feed: its texts have about ${usualLength} characters, and words behind them are not seen`
      : null,
    language: describeLanguages(languages),
  };
}
