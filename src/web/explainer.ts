import type { Alert } from "../model/alert.ts";

/** Describes and draws the findings about an alert. `explanation` is as stored, null if there are none. */
export interface AlertExplainer {
  /** Short lines; they hold names and texts of strangers. */
  findings(alert: Alert, explanation: unknown): readonly { readonly label: string; readonly text: string }[];
  /** SVG without scripts or external references; null if nothing was counted over time. */
  chart(alert: Alert, explanation: unknown, theme: "light" | "dark"): string | null;
}
