import type { DemoConsoleOrder } from "#lab";

/** What a console in a process of its own is to show. */
export type ConsoleOrder = {
  readonly level: string;
  readonly port: number | null;
  readonly keepsPort: boolean;
} & (
  | {
      readonly kind: "monitor";
      readonly file: string;
      readonly databaseUrl: string;
      /** Where our own Listening API answers; null without `listen`. */
      readonly listeningUrl: string | null;
    }
  | DemoConsoleOrder
);
