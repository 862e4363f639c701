import type { Instant } from "../lib/instant.ts";
import type { Alert, RenotifyReason, WindowCount } from "../model/alert.ts";
import type { Severity } from "../model/severity.ts";

/** What of an alert the life cycle decides. */
export type AlertLife = Pick<
  Alert,
  | "state"
  | "severity"
  | "openedAt"
  | "firedAt"
  | "lastSeenAt"
  | "resolvedAt"
  | "notifyCount"
  | "renotifyReason"
  | "mentions"
  | "because"
  | "windowFrom"
  | "windowTo"
  | "values"
  | "handling"
  | "progress"
>;

/** What of a rule the life cycle needs. `forMs` 0 fires at once. */
export interface LifeRule {
  readonly severity: Severity;
  readonly forMs: number;
  readonly overAfterMs: number;
  /** An alert that comes back so soon after its end is reopened; 0, or absent: never. */
  readonly reopenWithinMs?: number;
}

export interface Evidence extends Pick<Alert, "because" | "windowFrom" | "windowTo" | "values"> {
  readonly kind: "evidence";
  /** Arrival of the mention, end of the window: the moment from which the rule is true. */
  readonly at: Instant;
  /** Mentions that no earlier evidence has counted. */
  readonly mentions: number;
  /** Where this evidence is graver than its rule says by itself. */
  readonly severity?: Severity;
  /** What it reached for that severity: "at least 200 in 30 min". */
  readonly step?: string;
  /** How many there are now; evidence of one alert counts windows of one length. */
  readonly present?: WindowCount;
  /** Its sentence and numbers speak of the alert so far, so they replace the older ones while it grows. */
  readonly restates?: boolean;
  /** It is so much more than people were told that they should be told again. */
  readonly renotify?: RenotifyReason;
}

export type Observation =
  | Evidence
  /** A window was judged at this tick and the rule was not true. */
  | { readonly kind: "not-met"; readonly at: Instant }
  /** The query is complete: all evidence with `at` before `until` has been observed. */
  | { readonly kind: "time-passed"; readonly until: Instant }
  /** The rule is gone, or its query is no longer watched. `because`: which of them, in words. */
  | { readonly kind: "withdrawn"; readonly at: Instant; readonly because?: string };

/** `life` is the alert after the change; `isNew` asks for a new row. `Nothing` leaves all as it is. */
export type LifeChange =
  | { readonly outcome: "OpenedPending"; readonly life: AlertLife; readonly isNew: true }
  /** `isNew` false: it was pending and has now been true for long enough. */
  | { readonly outcome: "Fired"; readonly life: AlertLife; readonly isNew: boolean }
  | { readonly outcome: "Grew"; readonly life: AlertLife; readonly isNew: false }
  | {
      readonly outcome: "SeverityRose";
      readonly life: AlertLife;
      readonly isNew: false;
      readonly from: Severity;
    }
  /** It became so much more that people should be told again. */
  | {
      readonly outcome: "Worsened";
      readonly life: AlertLife;
      readonly isNew: false;
      readonly reason: RenotifyReason;
    }
  /** It was over, and came back within the time that its rule gives. */
  | { readonly outcome: "Reopened"; readonly life: AlertLife; readonly isNew: false }
  | { readonly outcome: "Resolved"; readonly life: AlertLife; readonly isNew: false }
  /** A pending alert that was not true for long enough: over, and nobody has to know. `firedAt` stays null. */
  | { readonly outcome: "NeverFired"; readonly life: AlertLife; readonly isNew: false }
  /** Counted into an alert that is over already. */
  | { readonly outcome: "CountedLate"; readonly life: AlertLife; readonly isNew: false }
  | { readonly outcome: "Nothing"; readonly life: null; readonly isNew: false };
