import { announceDigests } from "../digest/announce-digests.ts";
import { type Clock, monotonicMs } from "../lib/clock.ts";
import { type Instant, SECOND } from "../lib/instant.ts";
import type { PollKey } from "../model/poll.ts";
import { type PlanParts, planPolls, publishPlan } from "../polling/plan-polls.ts";
import { type SweepParts, type Swept, sweep } from "./sweep.ts";

const PUBLISH_EVERY_MS = 15 * SECOND;

/** Beyond this, due polls of a source are left to the next sweep. */
const MOST_POLLS = 500;

/** One sweep now: first announces digests that are due, and now and then publishes the plan. */
export function createSweep(
  parts: Omit<SweepParts, "pollsDue"> & { readonly plans: readonly PlanParts[]; readonly clock: Clock },
): () => Promise<Swept> {
  const { plans, clock, ...swept } = parts;
  let publishedAt = Number.NEGATIVE_INFINITY;
  return async () => {
    const now = clock.now();
    await announceDigests(parts.stores.digests, parts.digests, now);
    if (monotonicMs() - publishedAt > PUBLISH_EVERY_MS) {
      publishedAt = monotonicMs();
      for (const plan of plans) await publishPlan(plan, now);
    }
    return sweep({ ...swept, pollsDue: (at) => pollsDue(plans, at) }, now);
  };
}

/** The calls of every source: those that its rate limit allows now, or all that are due if it has none. */
async function pollsDue(plans: readonly PlanParts[], now: Instant): Promise<(readonly PollKey[])[]> {
  const due = plans.map(async (plan) => {
    const planned = await planPolls(plan, now);
    if (planned !== null) return planned.map(({ keys }) => keys);
    return (await plan.stores.polls.due(now, MOST_POLLS, plan.source.name)).map((poll) => [poll]);
  });
  return (await Promise.all(due)).flat();
}
