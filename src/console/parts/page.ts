import type { AlertExplainer, ConsoleFacts, ShownWait, ShownWarmUp } from "#monitor";
import type { Html } from "../common/html.ts";
import type { Times } from "../common/times.ts";
import type { InboxView } from "../inbox/inbox-view.ts";

/** The parts that every page needs. */
export interface PageParts {
  readonly facts: ConsoleFacts;
  readonly inbox: InboxView | null;
  /** If absent, alerts show neither findings nor charts. */
  readonly explainer?: AlertExplainer | null;
  /** Rules that cannot fire yet; absent if the console does not know the rules. */
  readonly warmingUp?: () => Promise<readonly ShownWarmUp[]>;
  /** Receivers whose messages are delayed; absent if the console does not know the receivers. */
  readonly waits?: (() => Promise<readonly ShownWait[]>) | undefined;
  /** Whether /rules shows rules. */
  readonly hasRules?: boolean;
  /** Whether /preview shows messages. */
  readonly hasPreviews?: boolean;
  readonly times: Times;
}

/** A page for the layout; `address` is its requested address. */
export interface Page {
  readonly title: string;
  /** Its entry in the navigation; null for none. */
  readonly section:
    | null
    | "/"
    | "/alerts"
    | "/mentions"
    | "/insights"
    | "/rules"
    | "/inbox"
    | "/health"
    | "/digests"
    | "/silences";
  /** Scripts of this page, besides those of every page. */
  readonly scripts?: readonly string[];
  readonly body: Html;
}
