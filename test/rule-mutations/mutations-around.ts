import type { Config } from "../../src/admin/config/config.ts";
import { WEEKDAYS } from "../../src/lib/local-time.ts";

/** A deliberate mistake around a rule: in the configuration, or in a template. */
export type Mutation =
  | { readonly name: string; readonly in: "config"; readonly apply: (config: Config) => Config }
  | {
      readonly name: string;
      readonly in: "template";
      readonly file: string;
      readonly apply: (text: string) => string;
    };

export const MUTATIONS_AROUND: readonly Mutation[] = [
  {
    name: "another route",
    in: "config",
    apply: (config) => ({
      ...config,
      routes: config.routes.map((route) => ({ ...route, receivers: ["stakeholders"] })),
    }),
  },
  {
    name: "quiet hours",
    in: "config",
    apply: (config) => ({
      ...config,
      receivers: config.receivers.map((receiver) => ({
        ...receiver,
        quietHours: [
          {
            timezone: "UTC",
            from: 0,
            to: 24 * 60 - 5,
            days: [...WEEKDAYS],
            breakThrough: "nothing" as const,
            notifyAfterwards: "nothing" as const,
          },
        ],
      })),
    }),
  },
  {
    name: "template without news",
    in: "template",
    file: "slack/alert-headline.header.hbs",
    apply: () => "Something happened\n",
  },
];
