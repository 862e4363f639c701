import { splitWords } from "../split-words.ts";
import { defineField, type Field, type KnownFields } from "./field.ts";

type Texts = (known: KnownFields) => readonly (string | null | undefined)[];

/** A field whose value is found as whole words next to each other in one of the texts: a name, a title. */
export function wordsField(name: string, texts: Texts): Field {
  return defineField({
    name,
    kind: "value",
    meets: (test, known) =>
      test.kind === "value" && texts(known).some((text) => text != null && hasWords(text, test.value)),
  });
}

/** A field whose value is one of the texts as a whole, in any case. A `*` matches any characters. */
export function exactField(name: string, texts: Texts): Field {
  return defineField({
    name,
    kind: "value",
    meets: (test, known) => {
      if (test.kind !== "value") return false;
      const wanted = test.value.toLowerCase();
      return texts(known).some((text) => text != null && text.toLowerCase() === wanted);
    },
  });
}

/** No mention of the local API says anything about it. */
export function unknownField(name: string): Field {
  return defineField({ name, kind: "value", meets: () => false, isUnknown: true });
}

function hasWords(text: string, value: string): boolean {
  const wanted = splitWords(value);
  const given = splitWords(text);
  if (wanted.length === 0) return false;
  for (let from = 0; from + wanted.length <= given.length; from++) {
    if (wanted.every((word, i) => given[from + i]?.folded === word.folded)) return true;
  }
  return false;
}
