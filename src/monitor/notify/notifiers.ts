import { z } from "zod";
import type { Notifier, NotifierDefinition, NotifierDeps } from "./define-notifier.ts";
import { email } from "./notifiers/email.ts";
import { slack } from "./notifiers/slack.ts";
import { webhook } from "./notifiers/webhook.ts";

/** Every kind of receiver. A new one is a line here. */
export const notifiers = [slack, email, webhook] as const;

type SchemasOf<Definitions extends readonly { readonly config: z.ZodType }[]> = {
  readonly [Index in keyof Definitions]: Definitions[Index]["config"];
};

/** The notifier of a receiver, as people write it. */
export const NotifierConfig = z.discriminatedUnion(
  "kind",
  // `map` keeps the order, but not the types.
  notifiers.map(({ config }) => config) as unknown as SchemasOf<typeof notifiers>,
);
export type NotifierConfig = z.output<typeof NotifierConfig>;

/** All that is known of the kind of this receiver. */
export function definitionOf({ kind }: Pick<NotifierConfig, "kind">): NotifierDefinition {
  const definitions: readonly NotifierDefinition[] = notifiers;
  const found = definitions.find((one) => one.kind === kind);
  if (found === undefined) throw new Error(`there is no notifier "${kind}"`);
  return found;
}

export function createNotifier(config: NotifierConfig, deps: NotifierDeps): Notifier {
  return definitionOf(config).create(config, deps);
}
