import type { Instant } from "../lib/instant.ts";
import type { WeeklyRange } from "../lib/weekly-range.ts";
import type { Actor } from "../model/actor.ts";
import type { AlertAction, RulePrecision } from "../model/alert-action.ts";
import type { AlertMatch } from "../model/alert-match.ts";
import type { ListedSilence, Silence } from "../model/silence.ts";

/** What people can do at the page. It writes facts; what follows from them is decided elsewhere, within a second. */
export interface ConsoleActions {
  /** Signs forms and links; the same for every process. */
  readonly secret: string;
  /** Null: there is no such alert. */
  act(
    alertId: string,
    action: AlertAction,
    by: Actor,
  ): Promise<{ readonly outcome: "Done" } | { readonly outcome: "Refused"; readonly because: string } | null>;
  /** Throws a UserError with a sentence for who asked. */
  addSilence(asked: {
    readonly match: AlertMatch;
    readonly by: Actor;
    readonly comment: string;
    readonly lengthMs: number;
    readonly windows?: readonly WeeklyRange[];
  }): Promise<Silence>;
  /** Silences this alert, and what follows it. Null: there is no such alert. */
  silenceAlert(
    alertId: string,
    lengthMs: number,
    by: Actor,
  ): Promise<{ readonly outcome: "Done" } | { readonly outcome: "Refused"; readonly because: string } | null>;
  /** False: it had ended already. */
  expireSilence(id: string, by: Actor): Promise<boolean>;
  /**
   * Does the work for a use of a link from a mail: whoever has it needs no login, so it acts `most` times at most. The
   * reason why nothing was done, or null. The use is counted in the transaction of the work, which acts through the
   * actions that it is given.
   */
  useLink(
    link: string,
    most: number,
    work: (actions: Pick<ConsoleActions, "act" | "silenceAlert">) => Promise<string | null>,
  ): Promise<string | null>;
  silences(past: boolean): Promise<readonly ListedSilence[]>;
  precision(since: Instant): Promise<readonly RulePrecision[]>;
}
