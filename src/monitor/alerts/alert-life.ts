import type { Instant } from "../../lib/instant.ts";
import type { Alert, RenotifyReason, WindowCount } from "../model/alert.ts";
import type { Severity } from "../model/severity.ts";

/** The part of an alert that the life cycle decides. */
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

/** The part of a rule that the life cycle needs. `forMs` 0 fires at once. */
export interface LifeRule {
  readonly severity: Severity;
  readonly forMs: number;
  readonly overAfterMs: number;
  /** Evidence this soon after the end reopens the alert; 0, or absent: never. */
  readonly reopenWithinMs?: number;
}

export interface Evidence extends Pick<Alert, "because" | "windowFrom" | "windowTo" | "values"> {
  readonly kind: "evidence";
  /** Arrival of the mention, end of the window: the moment from which the rule is true. */
  readonly at: Instant;
  /** Mentions that no earlier evidence has counted. */
  readonly mentions: number;
  /** Set if this evidence is more severe than its rule. */
  readonly severity?: Severity;
  /** The threshold that it reached for that severity: "at least 200 in 30 min". */
  readonly step?: string;
  /** The current count; evidence of one alert counts windows of one length. */
  readonly present?: WindowCount | undefined;
  /** The largest count so far, with what arrived late; absent: the largest `present`. */
  readonly peak?: WindowCount | undefined;
  /** Its sentence and numbers describe the whole alert so far, so they replace older ones while it grows. */
  readonly restates?: boolean | undefined;
  /** Set if it grew enough for a renotification. */
  readonly renotify?: RenotifyReason | undefined;
  /** Since when it is so, if it was found later; absent: `at`. */
  readonly since?: Instant;
}

export type Observation =
  | Evidence
  /**
   * A window was judged at this tick and the rule was not true. What arrived meanwhile still belongs to an alert that is
   * open. `goesOn`: it is not as before the alert either, so one that has fired goes on.
   */
  | ({ readonly kind: "not-met"; readonly at: Instant; readonly goesOn?: boolean | undefined } & Partial<
      Pick<Evidence, "mentions" | "present">
    >)
  /** The query is complete: all evidence with `at` before `until` has been observed. */
  | { readonly kind: "time-passed"; readonly until: Instant }
  /** The rule or its query is gone. `because`: which of them, in words. */
  | { readonly kind: "withdrawn"; readonly at: Instant; readonly because?: string };

/** `life` is the alert after the change; `isNew` asks for a new row. `Nothing` changes nothing. */
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
  /** It grew enough for a renotification. */
  | {
      readonly outcome: "Worsened";
      readonly life: AlertLife;
      readonly isNew: false;
      readonly reason: RenotifyReason;
    }
  /** It was resolved and came back within the `reopenWithin` of its rule. */
  | { readonly outcome: "Reopened"; readonly life: AlertLife; readonly isNew: false }
  | { readonly outcome: "Resolved"; readonly life: AlertLife; readonly isNew: false }
  /** A pending alert that was not true for long enough: it ends without a notification. `firedAt` stays null. */
  | { readonly outcome: "NeverFired"; readonly life: AlertLife; readonly isNew: false }
  /** Counted into an alert that is resolved already. */
  | { readonly outcome: "CountedLate"; readonly life: AlertLife; readonly isNew: false }
  | { readonly outcome: "Nothing"; readonly life: null; readonly isNew: false };
