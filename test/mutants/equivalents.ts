import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { z } from "zod";

const File = z.array(z.strictObject({ because: z.string(), mutants: z.array(z.string()).min(1) }));

/** Key of each mutant that changes nothing that anybody could see → why. */
export function readEquivalents(file: string): ReadonlyMap<string, string> {
  const groups = File.parse(parse(readFileSync(file, "utf8")) ?? []);
  return new Map(groups.flatMap(({ because, mutants }) => mutants.map((key) => [key, because] as const)));
}
