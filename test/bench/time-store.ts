import { monotonicMs } from "../../src/lib/clock.ts";
import type { PollParts } from "../../src/monitor/polling/poll-parts.ts";

type Stores = PollParts["store"];

export interface TimedStore {
  readonly timed: Stores;
  /** Milliseconds from call to answer, by method, longest first; "commit" is what a transaction takes around its work. */
  times(): [string, number][];
}

/** The same store, with a watch on every call. */
export function timeStore(store: Stores): TimedStore {
  const spent = new Map<string, number>();
  const note = (name: string, ms: number): void => {
    spent.set(name, (spent.get(name) ?? 0) + ms);
  };
  const timed = watch(store, note);
  timed.transaction = async (work) => {
    const startedAt = monotonicMs();
    let workMs = 0;
    const result = await store.transaction(async (facts) => {
      const workStartedAt = monotonicMs();
      try {
        return await work(watch(facts, note));
      } finally {
        workMs = monotonicMs() - workStartedAt;
      }
    });
    note("begin and commit", monotonicMs() - startedAt - workMs);
    return result;
  };
  return { timed, times: () => [...spent].sort(([, a], [, b]) => b - a) };
}

type Note = (name: string, ms: number) => void;

/** A copy whose methods measure how long their promises took. */
function watch<Facts extends object>(facts: Facts, note: Note): Facts {
  const entries = Object.entries(facts).map(([noun, methods]) => [
    noun,
    typeof methods === "object" && methods !== null ? watchNoun(noun, methods, note) : methods,
  ]);
  return Object.fromEntries(entries) as Facts;
}

function watchNoun(noun: string, methods: object, note: Note): object {
  return new Proxy(methods, {
    get: (target, name) => {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== "function") return method;
      return (...args: unknown[]): unknown => {
        const startedAt = monotonicMs();
        const result: unknown = Reflect.apply(method, target, args);
        if (!(result instanceof Promise)) return result;
        return result.finally(() => note(`${noun}.${String(name)}`, monotonicMs() - startedAt));
      };
    },
  });
}
