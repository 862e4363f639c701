import { definitionOf, type NotifierConfig } from "./notifiers.ts";

/** By what users of the console get mails: as the first receiver that can send to another address. Null: by nothing. */
export function mailerOf(receivers: readonly { readonly notifier: NotifierConfig }[]): NotifierConfig | null {
  return (
    receivers.map(({ notifier }) => notifier).find((one) => definitionOf(one).reachesPeople === true) ?? null
  );
}
