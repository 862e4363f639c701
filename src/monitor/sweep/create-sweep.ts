import { type Clock, monotonicMs } from "../../lib/clock.ts";
import { type Instant, SECOND } from "../../lib/instant.ts";
import { announceDigests } from "../digest/announce-digests.ts";
import { planViews } from "../digest/view-digests.ts";
import { type PlanParts, planPolls, publishPlan } from "../polling/plan-polls.ts";
import { type SweepOptions, type SweepParts, type SweepResult, sweep } from "./sweep.ts";

const PUBLISH_EVERY_MS = 15 * SECOND;

/** One sweep now: first announces digests that are due, and now and then publishes the plan. */
export function createSweep(
  parts: Omit<SweepParts, "planPolls"> & { readonly plans: readonly PlanParts[]; readonly clock: Clock },
): (options?: SweepOptions) => Promise<SweepResult> {
  const { plans, clock, ...swept } = parts;
  let publishedAt = Number.NEGATIVE_INFINITY;
  return async (options) => {
    const now = clock.now();
    const digests = [...parts.digests, ...planViews(await parts.stores.views.mails())];
    await announceDigests(parts.stores.digests, digests, now);
    if (monotonicMs() - publishedAt > PUBLISH_EVERY_MS) {
      publishedAt = monotonicMs();
      for (const plan of plans) await publishPlan(plan, now);
    }
    return sweep({ ...swept, ...options, digests, planPolls: (at) => planAll(plans, at) }, now);
  };
}

async function planAll(plans: readonly PlanParts[], now: Instant): ReturnType<SweepParts["planPolls"]> {
  const all = await Promise.all(
    plans.map(async (plan) => ({ source: plan.source.name, calls: await planPolls(plan, now) })),
  );
  return {
    calls: all.flatMap(({ calls }) => calls ?? []),
    unplanned: all.flatMap(({ source, calls }) => (calls === null ? [source] : [])),
  };
}
