import type { BodyReader } from "../parameters/body-reader.ts";
import type { ParameterReader } from "../parameters/parameter-reader.ts";

export type Schema = Readonly<Record<string, unknown>>;

/** What a call takes: each name with its schema, and the names that must be there. */
export interface CallInputs {
  readonly fields: ReadonlyMap<string, Schema>;
  readonly required: ReadonlySet<string>;
}

const TEXT = { type: "string" } as const;
const MISSING = /^(\w+): (?:required|.*got nothing)/;

/** Notes what is asked for. Of several ways to ask for one name the first most exact one counts. */
function createNotes() {
  const fields = new Map<string, Schema>();
  const exactness = new Map<string, number>();
  const required = new Set<string>();
  return {
    inputs: { fields, required } satisfies CallInputs,
    note(name: string, exact: number, schema: Schema): undefined {
      if (exact <= (exactness.get(name) ?? -1)) return undefined;
      exactness.set(name, exact);
      fields.set(name, schema);
      return undefined;
    },
    fault(message: string): void {
      const name = MISSING.exec(message)?.[1];
      if (name !== undefined) required.add(name);
    },
  };
}

/** What a call reads from its parameters, found by letting it read from none: the document cannot say anything else. */
export async function parametersRead(read: (reader: ParameterReader) => unknown): Promise<CallInputs> {
  const { inputs, note, fault } = createNotes();
  const list = (items: Schema): Schema => ({ type: "array", items });
  await read({
    text: (name) => note(name, 1, TEXT),
    texts: (name) => note(name, 0, list(TEXT)) ?? [],
    integer: (name, { min, max }) => note(name, 2, { type: "integer", minimum: min, maximum: max }),
    integers: (name) => note(name, 2, list({ type: "integer" })) ?? [],
    oneOf: (name, allowed) => note(name, 2, { ...TEXT, enum: allowed }),
    someOf: (name, allowed) => note(name, 2, list({ ...TEXT, enum: allowed })) ?? [],
    moment: (name) => note(name, 2, { ...TEXT, description: "A date, or a date-time with its offset." }),
    fault,
    passOver() {},
    known: () => new Map(),
    faults: () => [],
    finish() {},
  });
  return inputs;
}

/** The same for the fields of a body. */
export async function fieldsRead(read: (body: BodyReader) => unknown): Promise<CallInputs> {
  const { inputs, note, fault } = createNotes();
  const anything = (name: string) => note(name, 0, {});
  await read({
    body: new Proxy({}, { get: (_, name) => anything(String(name)) }),
    has: (name) => anything(name) ?? false,
    name(current) {
      note("name", 2, { ...TEXT, minLength: 1, maxLength: 255 });
      if (current === undefined) inputs.required.add("name");
      return current ?? "";
    },
    text: (name, maxLength) => note(name, 2, { ...TEXT, maxLength }),
    flag: (name) => note(name, 2, { type: "boolean" }),
    number: (name, { min, max }) => note(name, 2, { type: "number", minimum: min, maximum: max }),
    oneOf: (name, allowed) => note(name, 2, { ...TEXT, enum: allowed }),
    texts: (name, { max, maxLength }) =>
      note(name, 2, { type: "array", maxItems: max, items: { ...TEXT, maxLength } }),
    integers: (name) => note(name, 2, { type: "array", items: { type: "integer" } }),
    list: (name, max) => note(name, 2, { type: "array", maxItems: max, items: {} }),
    accept: (...names) => {
      for (const name of names) anything(name);
    },
    fault,
    faults: () => [],
    finish() {},
  });
  return inputs;
}
