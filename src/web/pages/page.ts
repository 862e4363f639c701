import type { ShownWait, ShownWarmUp } from "../../model/shown.ts";
import type { AlertExplainer } from "../explainer.ts";
import type { ConsoleFacts } from "../facts.ts";
import type { Html } from "../html.ts";
import type { InboxView } from "../inbox-view.ts";
import type { Times } from "../times.ts";

/** What every page is made with. */
export interface PageParts {
  readonly facts: ConsoleFacts;
  readonly inbox: InboxView | null;
  /** Absent: alerts show neither findings nor charts. */
  readonly explainer?: AlertExplainer | null;
  /** Rules that cannot fire yet; absent where the page does not know the rules. */
  readonly warmingUp?: () => Promise<readonly ShownWarmUp[]>;
  /** Receivers that are not told at once; absent where the page does not know the receivers. */
  readonly waits?: () => Promise<readonly ShownWait[]>;
  /** Whether messages can be looked at under /preview. */
  readonly hasPreviews?: boolean;
  readonly times: Times;
}

/** A page as its route gives it to the layout; `address` is the page's own, as asked for. */
export interface Page {
  readonly title: string;
  /** Which entry of the navigation it belongs to; null for none. */
  readonly section: null | "/" | "/alerts" | "/mentions" | "/inbox" | "/coverage" | "/silences";
  readonly body: Html;
}
