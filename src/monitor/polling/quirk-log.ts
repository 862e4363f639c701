import { type Clock, monotonicMs } from "../../lib/clock.ts";
import { HOUR, SECOND } from "../../lib/instant.ts";
import type { ObservedQuirk, ServerQuirks } from "../model/server-quirk.ts";
import type { createServerQuirkStore } from "../store/server-quirks.ts";
import type { QuirkLog } from "./next-page.ts";

/** The quirks of the account's server, read at most once a second. Nothing is written that adds nothing. */
export function createQuirkLog(store: ReturnType<typeof createServerQuirkStore>, clock: Clock): QuirkLog {
  let known: { readonly quirks: Promise<ServerQuirks>; readonly until: number } | null = null;
  const quirks = (): Promise<ServerQuirks> => {
    if (known === null || monotonicMs() >= known.until) {
      const reading = store.all();
      known = { quirks: reading, until: monotonicMs() + SECOND };
      reading.catch(() => {
        known = null;
      });
    }
    return known.quirks;
  };
  const isKnown = (found: ServerQuirks, { quirk, value, ms }: ObservedQuirk): boolean => {
    const before = found.get(quirk);
    if (before === undefined || before.value !== value || clock.now() - before.lastAt >= HOUR) return false;
    return quirk === "clock" || (ms ?? 0) <= (before.ms ?? 0) * 1.1;
  };
  return {
    quirks,
    async note(findings) {
      if (findings.length === 0) return;
      const before = await quirks();
      const news = findings.filter((one) => !isKnown(before, one));
      if (news.length === 0) return;
      await store.note(news, clock.now());
      known = null;
    },
  };
}
