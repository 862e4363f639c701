import type { MessageContent } from "../../notify/define-notifier.ts";

/** What a message shows, and its picture as SVG where it brings one, drawn for either kind of screen. */
export type PreviewContent = MessageContent & {
  readonly picture?: { readonly light: string; readonly dark: string } | null;
};
