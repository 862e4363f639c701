import type { AlertState, IncidentStatus, Severity } from "#monitor";
import type { Instant } from "../../lib/instant.ts";

/** What a story led to, as people could see it at each moment. */
export interface Observations {
  readonly alerts: readonly ObservedAlert[];
  /** In order of time. */
  readonly messages: readonly ObservedMessage[];
  /** Entries of the alerts' histories, in order of time. */
  readonly history: readonly ObservedEvent[];
}

export interface ObservedAlert {
  readonly id: string;
  readonly rule: string;
  readonly query: string;
  /** Its state and severity from that moment on, in order of time. A pending alert is nobody's business yet. */
  readonly seen: readonly {
    readonly at: Instant;
    readonly state: AlertState;
    readonly severity: Severity;
    /** The status of its incident; absent if it is in none. */
    readonly incident?: IncidentStatus | undefined;
  }[];
}

export interface ObservedMessage {
  readonly at: Instant;
  /** The kind of its receiver. */
  readonly kind: string;
  readonly receiver: string;
  /** The alerts that it is about. */
  readonly alertIds: readonly string[];
  /** An edit of an earlier message, which notifies nobody. */
  readonly isEdit: boolean;
  /** As its reader gets it; an email with its subject in the first line. */
  readonly text: string;
  /** The same as safe HTML: a fragment for Slack, a whole document for an email, null for other kinds. */
  readonly html: string | null;
}

export interface ObservedEvent {
  readonly at: Instant;
  readonly alertId: string;
  readonly what: string;
  readonly detail: string;
}
