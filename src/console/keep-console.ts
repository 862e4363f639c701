import { openTogether } from "../lib/closing.ts";
import { describeError } from "../lib/errors.ts";
import type { Logger } from "../lib/log.ts";
import { listenFor, openConsole, type PageOptions } from "./open-console.ts";

type Options = Omit<PageOptions, "tryNextPort">;

/** The console of a monitor, which is replaced when the configuration changes. Readers notice nothing of it. */
export interface KeptConsole {
  readonly url: string;
  /** Opens another console beside the one that answers. On another address it listens already. */
  prepare(options: Options): Promise<{ take(): void; drop(): Promise<void> }>;
  close(): Promise<void>;
}

/** Opens the console. Rejects with a UserError if its port is in use, or its settings are wrong. */
export async function keepConsole(first: Options, log: Logger): Promise<KeptConsole> {
  const open = (options: Options) => openConsole({ ...options, tryNextPort: false });
  const opened = await openTogether(async (closing) => {
    const console = await open(first);
    closing.add(console.close);
    return { console, front: await listenFor(console.answer, first.settings) };
  });
  let { console, front } = opened;
  const closings = new Set<Promise<void>>();
  const closeLater = (work: () => Promise<void>): void => {
    const closed = work()
      .catch((error: unknown) =>
        log.warn({ error: describeError(error) }, "the console before was not closed"),
      )
      .finally(() => closings.delete(closed));
    closings.add(closed);
  };
  return {
    get url() {
      return front.url;
    },
    prepare: (options) =>
      openTogether(async (closing) => {
        const next = await open(options);
        closing.add(next.close);
        const isSame = front.fits(options.settings);
        const nextFront = isSame ? front : await listenFor(next.answer, options.settings);
        if (!isSame) closing.add(nextFront.close);
        return {
          take: () => {
            const before = { console, front };
            console = next;
            front = nextFront;
            if (isSame) front.serve(next.answer, options.settings);
            closeLater(async () => {
              await before.console.close();
              if (!isSame) await before.front.close();
            });
          },
          drop: closing.close,
        };
      }),
    close: async () => {
      await front.close();
      await console.close();
      await Promise.all(closings);
    },
  };
}
