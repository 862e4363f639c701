import { isScalar, parseDocument, visit } from "yaml";
import { SECRET_KEY } from "../config/find-concerns.ts";

/** A YAML text with `…` for each secret in clear, so that a page can show the rest. */
export function withoutSecrets(text: string): string {
  const places: (readonly [number, number])[] = [];
  visit(parseDocument(text), {
    Pair: (_, { key, value }) => {
      if (!isScalar(key) || !isScalar(value) || !SECRET_KEY.test(String(key.value))) return;
      if (value.range != null && !String(value.value).includes("${"))
        places.push([value.range[0], value.range[1]]);
    },
  });
  return places.reduceRight((masked, [from, to]) => `${masked.slice(0, from)}…${masked.slice(to)}`, text);
}
