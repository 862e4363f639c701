import { CALLS, type CallEntry, type CallName } from "../call-table.ts";
import { addressOf, type Call, type Parameters, type Places } from "../define-call.ts";
import { parseWhole } from "../parse-json.ts";

/** Any call by its name, with unchanged parameters. */
export interface RawParams {
  readonly places: Places;
  readonly parameters: Parameters;
  /** Of a call that writes. */
  readonly body?: unknown;
}

/** A call whose answer is returned as the source wrote it. */
export function rawCall(name: CallName): Call<RawParams, unknown> {
  const { writes }: CallEntry = CALLS[name];
  return {
    name,
    path: ({ places, parameters }) => addressOf(name, places, parameters),
    ...(writes ? { body: ({ body }: RawParams) => body ?? {} } : {}),
    read: (answer) => parseWhole(answer.body),
  };
}
