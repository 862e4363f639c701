import type { Closing } from "../../lib/closing.ts";
import { PEOPLE } from "../model/people.ts";
import type { Notifier, NotifierDeps } from "../notify/define-notifier.ts";
import { createNotifier } from "../notify/notifiers.ts";
import { mailerOf } from "../notify/people.ts";
import type { ReceiverConfig } from "../notify/receiver-config.ts";
import type { Stores } from "../store/stores.ts";
import { observeNotifier } from "./note-failures.ts";

/** The notifier of each receiver, by its name; failures are recorded. They are closed with `closing`. */
export function openReceivers(
  receivers: readonly ReceiverConfig[],
  parts: NotifierDeps & { readonly stores: Stores },
  closing: Closing,
): ReadonlyMap<string, Notifier> {
  const opened = new Map<string, Notifier>();
  const mailer = mailerOf(receivers);
  const people = mailer === null ? [] : [{ name: PEOPLE, notifier: mailer }];
  for (const { name, notifier } of [...receivers, ...people]) {
    const made = createNotifier(notifier, parts);
    opened.set(name, observeNotifier(name, made, parts));
    closing.add(made.close);
  }
  return opened;
}
