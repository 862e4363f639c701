import type { Alert } from "../model/alert.ts";

/** Says and draws what was found out about an alert. `explanation` is as stored, null where nothing was found out. */
export interface AlertExplainer {
  /** Short lines; their texts hold names and words of strangers. */
  findings(alert: Alert, explanation: unknown): readonly { readonly label: string; readonly text: string }[];
  /** As SVG that holds no script and asks for nothing; null where nothing was counted over time. */
  chart(alert: Alert, explanation: unknown, theme: "light" | "dark"): string | null;
}
