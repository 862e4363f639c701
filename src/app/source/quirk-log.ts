import type { QuirkLog } from "../../ingest/adapt-pages.ts";
import { type Clock, monotonicMs } from "../../lib/clock.ts";
import { HOUR, SECOND } from "../../lib/instant.ts";
import type { ObservedQuirk, ServerQuirks } from "../../model/server-quirk.ts";
import type { createServerQuirkStore } from "../../store/server-quirks.ts";

/** What is known of the account's server, read at most once a second. What says nothing new is not written. */
export function createQuirkLog(store: ReturnType<typeof createServerQuirkStore>, clock: Clock): QuirkLog {
  let known: { readonly traits: Promise<ServerQuirks>; readonly until: number } | null = null;
  const traits = (): Promise<ServerQuirks> => {
    if (known === null || monotonicMs() >= known.until) {
      const asked = store.all();
      known = { traits: asked, until: monotonicMs() + SECOND };
      asked.catch(() => {
        known = null;
      });
    }
    return known.traits;
  };
  const isKnown = (found: ServerQuirks, { trait, value, ms }: ObservedQuirk): boolean => {
    const before = found.get(trait);
    if (before === undefined || before.value !== value || clock.now() - before.lastAt >= HOUR) return false;
    return trait === "clock" || (ms ?? 0) <= (before.ms ?? 0) * 1.1;
  };
  return {
    traits,
    async note(findings) {
      if (findings.length === 0) return;
      const before = await traits();
      const news = findings.filter((one) => !isKnown(before, one));
      if (news.length === 0) return;
      await store.note(news, clock.now());
      known = null;
    },
  };
}
