import { toIso } from "../lib/instant.ts";
import { nextPage } from "./next-page.ts";
import { openCall, type PollFailure } from "./poll-call.ts";
import type { PollMember } from "./poll-member.ts";
import type { PollParts } from "./poll-parts.ts";
import type { PageBody } from "./poll-state.ts";
import { decideStep } from "./step-over.ts";
import { nextCall } from "./watermark.ts";

/**
 * Takes a poll past a page that always fails, and stores its interval as a dead letter. Only if the pages behind it can
 * be read: otherwise the whole source has a problem, and nothing is skipped. Returns whether the poll can continue.
 *
 * @param failed the page, and how often it failed in a row
 */
export async function skipPoisonPage(
  parts: PollParts,
  { key, query, lease, stored }: PollMember,
  failed: { readonly failure: PollFailure; readonly tries: number },
  signal: AbortSignal,
): Promise<boolean> {
  const settings = parts.settings(query, key.poll);
  const now = parts.clock.now();
  const { failure, tries } = failed;
  const step = decideStep(stored, { kind: failure.kind, tries }, settings, now);
  if (step.outcome === "TriesAgain" || step.outcome === "TooFresh") return false;
  if (step.outcome === "BeginsAnew") {
    await parts.store.polls.advance(key, lease, step.state);
    return true;
  }
  const { request } = nextCall(key.poll, step.state, settings, now);
  const behind = await nextPage(parts.source, openCall([query], request, signal), request.cursor);
  if (behind.outcome === "failed") return false;
  const body: PageBody = { poll: key.poll, from: step.from };
  await parts.store.transaction(async (facts) => {
    await facts.polls.advance(key, lease, step.state);
    await facts.deadLetters.add(
      {
        projectId: key.projectId,
        queryId: key.queryId,
        kind: "page",
        scope: `${key.poll} from ${toIso(step.from)} to ${toIso(step.to)}`,
        reason: failure.because.slice(0, 300),
        tries,
        body,
      },
      now,
    );
  });
  return true;
}
