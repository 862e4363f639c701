import type { Actor, AlertAction, AlertMatch, ListedSilence, RulePrecision, Silence } from "#monitor";
import type { Instant } from "../lib/instant.ts";
import type { WeeklyRange } from "../lib/weekly-range.ts";

/** What people can do on the console. It only writes facts; the monitor acts on them within a second. */
export interface ConsoleActions {
  /** Signs forms and links; the same for every process. */
  readonly secret: string;
  /** Null if there is no such alert. */
  act(
    alertId: string,
    action: AlertAction,
    by: Actor,
  ): Promise<{ readonly outcome: "Done" } | { readonly outcome: "Refused"; readonly because: string } | null>;
  /** Throws a UserError with a sentence for the user. */
  addSilence(asked: {
    readonly match: AlertMatch;
    readonly by: Actor;
    readonly comment: string;
    readonly lengthMs: number;
    readonly windows?: readonly WeeklyRange[];
  }): Promise<Silence>;
  /** Silences this alert and later ones of its rule and group. Null if there is no such alert. */
  silenceAlert(
    alertId: string,
    lengthMs: number,
    by: Actor,
  ): Promise<{ readonly outcome: "Done" } | { readonly outcome: "Refused"; readonly because: string } | null>;
  /** False if it had ended already. */
  expireSilence(id: string, by: Actor): Promise<boolean>;
  /**
   * Does the work of a link from a mail. The link needs no login, so it acts at most `most` times. Returns the reason
   * why nothing was done, or null. Counts the use in the transaction of the work, which must use the given actions.
   */
  useLink(
    link: string,
    most: number,
    work: (actions: Pick<ConsoleActions, "act" | "silenceAlert">) => Promise<string | null>,
  ): Promise<string | null>;
  silences(past: boolean): Promise<readonly ListedSilence[]>;
  precision(since: Instant): Promise<readonly RulePrecision[]>;
}
