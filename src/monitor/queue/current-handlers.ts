import type { Swap } from "../../lib/swap.ts";
import type { Handlers, JobContext } from "./worker.ts";

/** Every job runs wholly with the version that is the newest when it begins. */
export function handlersOfCurrent(
  versions: Swap<{ readonly handlers: Required<Handlers> }>,
): Required<Handlers> {
  const names = Object.keys(versions.current.handlers) as (keyof Handlers)[];
  const run = (name: keyof Handlers) => (payload: never, context: JobContext) =>
    versions.use(({ handlers }, late) => {
      const ends = new AbortController();
      const end = (event: Event) => ends.abort((event.target as AbortSignal).reason);
      for (const signal of [context.signal, late]) {
        if (signal.aborted) ends.abort(signal.reason);
        signal.addEventListener("abort", end, { once: true });
      }
      const handler = handlers[name] as (payload: never, context: JobContext) => Promise<void>;
      return handler(payload, { ...context, signal: ends.signal }).finally(() => {
        for (const signal of [context.signal, late]) signal.removeEventListener("abort", end);
      });
    });
  return Object.fromEntries(names.map((name) => [name, run(name)])) as Required<Handlers>;
}
