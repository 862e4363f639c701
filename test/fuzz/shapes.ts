import fc from "fast-check";
import type { FuzzTarget } from "./targets.ts";

/** A kind of input of which there is one of every length. */
export interface Shape {
  /** For people; with the target it says how to make the input again. */
  readonly name: string;
  readonly ofLength: (length: number) => Buffer;
}

/** Shapes that grow: what takes the square of a length shows itself in them. */
export function growingShapes({ tokens, samples }: FuzzTarget): readonly Shape[] {
  const show = (text: string) => JSON.stringify(text);
  const run = (text: string, length: number) => text.repeat(Math.ceil(length / Math.max(1, text.length)));
  const sample = samples[0] ?? "";
  const middle = Math.floor(sample.length / 2);
  return [
    ...tokens.flatMap((token): Shape[] => [
      { name: `a run of ${show(token)}`, ofLength: (length) => Buffer.from(run(token, length)) },
      {
        name: `a run of ${show(token)} inside of something valid`,
        ofLength: (length) =>
          Buffer.from(sample.slice(0, middle) + run(token, length) + sample.slice(middle)),
      },
    ]),
    ...tokens.flatMap((first) =>
      tokens.flatMap((second): Shape[] =>
        first === second
          ? []
          : [
              {
                name: `a run of ${show(first)}, then one of ${show(second)}`,
                ofLength: (length) => Buffer.from(run(first, length / 2) + run(second, length / 2)),
              },
              {
                name: `${show(first)} and ${show(second)} in turn`,
                ofLength: (length) => Buffer.from(run(first + second, length)),
              },
            ],
      ),
    ),
    ...samples.map(
      (text, index): Shape => ({
        name: `sample ${index} again and again`,
        ofLength: (length) => Buffer.from(run(text, length)),
      }),
    ),
    {
      name: "keys that all differ",
      ofLength: (length) =>
        Buffer.from(`{${Array.from({ length: Math.ceil(length / 7) }, (_, n) => `"${n}":1`).join(",")}}`),
    },
    { name: "one long word", ofLength: (length) => Buffer.from("a".repeat(length)) },
    { name: "bytes that are no text", ofLength: (length) => Buffer.alloc(length, 0xff) },
  ];
}

/** Inputs without a shape: valid ones with cuts, repeats, foreign tokens, wrong lengths and charsets. */
export function randomInputs({ samples, tokens }: FuzzTarget): fc.Arbitrary<Buffer> {
  const token = fc.constantFrom(...tokens, "\0", "\ufeff", "\ud800", "é", "\u202e", "9".repeat(40), "-1");
  const piece = fc.oneof(
    token,
    fc.tuple(token, fc.nat(400)).map(([text, times]) => text.repeat(times)),
    fc.string({ unit: "binary", maxLength: 20 }),
  );
  const changed = fc
    .tuple(fc.constantFrom(...samples), fc.array(fc.tuple(fc.nat(), fc.nat(20), piece), { maxLength: 8 }))
    .map(([sample, edits]) =>
      edits.reduce((text, [at, cut, added]) => {
        const from = at % (text.length + 1);
        return text.slice(0, from) + added + text.slice(from + cut);
      }, sample),
    );
  const made = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(""));
  const encodings = ["utf8", "utf8", "utf8", "utf16le", "latin1"] as const;
  return fc
    .tuple(fc.oneof(changed, changed, made), fc.constantFrom(...encodings))
    .map(([text, encoding]) => Buffer.from(text, encoding));
}
