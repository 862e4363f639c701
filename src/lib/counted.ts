import { spellNumber } from "./spell-number.ts";

/** `1 mention`, `1,200 mentions`. */
export function counted(n: number, one: string, many = `${one}s`): string {
  return `${spellNumber(n)} ${n === 1 ? one : many}`;
}
