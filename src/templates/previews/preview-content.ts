import type { MessageContent } from "../../notify/define-notifier.ts";

/** The content of a message, and its picture as SVG if it has one, in a light and a dark version. */
export type PreviewContent = MessageContent & {
  readonly picture?: { readonly light: string; readonly dark: string } | null;
};
