import type { Mutant } from "./find-mutants.ts";

/**
 * A file with all its mutants at once: each expression that one of them changes asks at run time whether it is that
 * one's turn. Lines stay where they are. Pure.
 */
export function writeSwitches(source: string, mutants: readonly Mutant[]): string {
  const outerFirst = mutants.toSorted((a, b) => a.start - b.start || b.end - a.end);
  let next = 0;
  const write = (from: number, to: number): string => {
    let text = "";
    let at = from;
    for (;;) {
      const first = outerFirst[next];
      if (first === undefined || first.start >= to) break;
      const same: Mutant[] = [];
      for (
        let one = outerFirst[next];
        one?.start === first.start && one.end === first.end;
        one = outerFirst[next]
      ) {
        same.push(one);
        next++;
      }
      text += source.slice(at, first.start);
      const choices = same.map(({ id, after }) => `__mutant(${id})?(${after.replaceAll(/\s*\n\s*/g, " ")}):`);
      text += `(${choices.join("")}(${write(first.start, first.end)}))`;
      at = first.end;
    }
    return text + source.slice(at, to);
  };
  // What prepares the run, such as the tables of all tests, is loaded by a process that tries no mutants.
  return `const __mutant=globalThis.__earshotMutants?.isActive??(()=>false);${write(0, source.length)}`;
}
