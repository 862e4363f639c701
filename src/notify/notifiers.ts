import { z } from "zod";
import type { CheckNote, Notifier, NotifierDefinition, NotifierDeps } from "./define-notifier.ts";
import { email } from "./notifiers/email.ts";
import { slack } from "./notifiers/slack.ts";
import { webhook } from "./notifiers/webhook.ts";

/** Every kind of receiver. A new one is a line here and one in each place below that the compiler then names. */
export const notifiers = [slack, email, webhook] as const;

export const NotifierConfig = z.discriminatedUnion("kind", [slack.config, email.config, webhook.config]);
export type NotifierConfig = z.output<typeof NotifierConfig>;

export function createNotifier(config: NotifierConfig, deps: NotifierDeps): Notifier {
  switch (config.kind) {
    case "slack":
      return slack.create(config, deps);
    case "email":
      return email.create(config, deps);
    case "webhook":
      return webhook.create(config, deps);
  }
}

/** Advice on a receiver's configuration that needs no answer of its vendor. */
export function concernsOf(config: NotifierConfig): readonly CheckNote[] {
  const definitions: readonly NotifierDefinition[] = notifiers;
  return definitions.find(({ kind }) => kind === config.kind)?.concerns?.(config) ?? [];
}
