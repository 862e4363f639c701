import { type AddressName, addressOf, type Parameters, type Places } from "../addresses.ts";
import type { Call } from "../define-call.ts";
import { parseWhole } from "../parse-whole.ts";

/** Any call by its name, with unchanged parameters. */
export interface RawParams {
  readonly places: Places;
  readonly parameters: Parameters;
  /** Of a call that writes. */
  readonly body?: unknown;
}

/** A call whose answer is returned as the source wrote it. */
export function rawCall(name: AddressName): Call<RawParams, unknown> {
  return {
    name,
    path: ({ places, parameters }) => addressOf(name, places, parameters),
    ...(name === "create-location-list" ? { body: ({ body }: RawParams) => body ?? {} } : {}),
    read: (answer) => parseWhole(answer.body),
  };
}
