import type { Instant } from "../lib/instant.ts";
import type { NotificationKind } from "../model/notification.ts";
import type {
  Batch,
  Dropped,
  DropReason,
  Held,
  HoldReason,
  Matter,
  ReceiverTerms,
  Saying,
  TellReason,
  Told,
} from "./batch.ts";
import { runPipeline } from "./pipeline.ts";

/** What to do about one alert and one receiver, why, and when to ask again although nothing has changed. */
export type Decision =
  | {
      readonly do: "tell";
      readonly kind: NotificationKind;
      readonly reason: TellReason;
      readonly by: string;
      readonly nextAt: Instant | null;
      /** What the receiver knows from now on. */
      readonly told: Told;
    }
  | { readonly do: "hold"; readonly reason: HoldReason; readonly by: string; readonly nextAt: Instant }
  | {
      readonly do: "drop";
      readonly reason: DropReason;
      readonly by: string;
      readonly nextAt: Instant | null;
    };

/** Decides for one alert and one receiver. */
export function decide(matter: Matter, receiver: ReceiverTerms, now: Instant): Decision {
  const [decided] = decideAll([matter], receiver, now);
  if (!decided) throw new Error("The pipeline lost a matter");
  return decided.decision;
}

/** Decides for all alerts of one receiver that are to be looked at now; throttled together, gravest first. */
export function decideAll(
  matters: readonly Matter[],
  receiver: ReceiverTerms,
  now: Instant,
): readonly { readonly matter: Matter; readonly decision: Decision }[] {
  return decisionsOf(runPipeline(matters, receiver, now));
}

function decisionsOf({ say, held, dropped, now }: Batch) {
  return [
    ...say.map((saying) => ({ matter: saying.matter, decision: tell(saying, now) })),
    ...held.map((entry) => ({ matter: entry.matter, decision: hold(entry) })),
    ...dropped.map((entry) => ({ matter: entry.matter, decision: drop(entry) })),
  ];
}

function tell({ matter: { alert, terms }, kind, reason }: Saying, now: Instant): Decision {
  const ended = alert.resolvedAt !== null;
  const { severity, lastSeenAt, tellings } = alert;
  const told = { at: now, severity, lastSeenAt, tellings, ended };
  const repeats = !ended && alert.state !== "acknowledged" && terms.repeatEveryMs !== null;
  return {
    do: "tell",
    kind,
    reason,
    by: "route",
    nextAt: repeats ? now + (terms.repeatEveryMs ?? 0) : null,
    told,
  };
}

function hold({ reason, by, until }: Held): Decision {
  return { do: "hold", reason, by, nextAt: until };
}

function drop({ reason, by, nextAt }: Dropped): Decision {
  return { do: "drop", reason, by, nextAt };
}
