import type { Instant } from "../../lib/instant.ts";

/** Values by the moment at which they are due, earliest first. A value that is no longer valid is skipped. */
interface DueQueue<Value> {
  add(at: Instant, value: Value): void;
  nextAt(): Instant | null;
  /** Removes and returns everything that is due at `now`. */
  take(now: Instant): readonly Value[];
}

/** A binary heap. `isValid`: whether the value still counts; asked when it is the earliest. */
export function createDueQueue<Value>(isValid: (value: Value) => boolean): DueQueue<Value> {
  const heap: { readonly at: Instant; readonly value: Value }[] = [];
  const atOf = (index: number): Instant => heap[index]?.at ?? Number.POSITIVE_INFINITY;

  function swap(a: number, b: number): void {
    const [one, other] = [heap[a], heap[b]];
    if (one === undefined || other === undefined) return;
    heap[a] = other;
    heap[b] = one;
  }

  function removeFirst(): void {
    swap(0, heap.length - 1);
    heap.pop();
    for (let index = 0; ; ) {
      const left = 2 * index + 1;
      const least = atOf(left) <= atOf(left + 1) ? left : left + 1;
      if (atOf(least) >= atOf(index)) return;
      swap(index, least);
      index = least;
    }
  }

  function first() {
    for (let [found] = heap; found !== undefined; [found] = heap) {
      if (isValid(found.value)) return found;
      removeFirst();
    }
    return undefined;
  }

  return {
    add: (at, value) => {
      heap.push({ at, value });
      for (let index = heap.length - 1; index > 0; ) {
        const parent = (index - 1) >> 1;
        if (atOf(parent) <= atOf(index)) return;
        swap(index, parent);
        index = parent;
      }
    },
    nextAt: () => first()?.at ?? null,
    take: (now) => {
      const due: Value[] = [];
      for (let found = first(); found !== undefined && found.at <= now; found = first()) {
        due.push(found.value);
        removeFirst();
      }
      return due;
    },
  };
}
