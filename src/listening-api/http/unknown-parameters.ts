import type { FastifyInstance, FastifyRequest } from "fastify";
import {
  createParameterReader,
  type ParameterReader,
  type RawParameters,
  type UnknownParameter,
  type UnknownParameters,
} from "../parameters/parameter-reader.ts";
import type { Caller } from "../store/callers.ts";
import type { LocalApiLog } from "./local-api-context.ts";

/** Names the parameters of a call that had no effect. */
const UNKNOWN_PARAMETERS = "x-earshot-unknown-parameters";
/** A client whose tag says `true` gets an error for a parameter that the call does not have. */
const STRICT_TAG = "parameters.strict";

const MOST_NAMED = 20;
const LONGEST_NAME = 60;
/** Calls and names that were logged once: a polling program repeats the same for ever. */
const REMEMBERED = 1_000;

/**
 * Programs send parameters that never existed (`pagesize`, `limit`, `__delay`) and work with the live service. So they
 * are ignored here too, and reported: in a header of the answer and, once each, in the log. With `strict`, or for a
 * client whose tag says so, they are errors.
 */
export function passOverUnknown(
  app: FastifyInstance,
  log: LocalApiLog,
  { strict }: { strict: boolean },
): void {
  const logged = new Set<string>();
  app.decorateRequest("unknownParameters", null);
  app.decorateRequest("isStrict", strict);
  app.addHook("onSend", async (request, reply) => {
    const unknown = request.getDecorator<readonly UnknownParameter[] | null>("unknownParameters");
    if (unknown === null || unknown.length === 0) return;
    reply.header(UNKNOWN_PARAMETERS, unknown.slice(0, MOST_NAMED).map(inHeader).join(", "));
    const call = `${request.method} ${request.routeOptions.url ?? ""}`;
    const fresh = unknown.slice(0, MOST_NAMED).filter(({ name }) => !logged.has(`${call} ${name}`));
    if (fresh.length === 0) return;
    for (const { name } of fresh) if (logged.size < REMEMBERED) logged.add(`${call} ${name}`);
    log.warn(
      { call, parameters: fresh.map(inLog) },
      "parameters that this call does not have were passed over",
    );
  });
}

/** The parameters of the call. */
export function parametersOf(request: FastifyRequest): ParameterReader {
  return createParameterReader(request.query as RawParameters, unknownTo(request));
}

/** How unknown parameters are handled. */
export function unknownTo(request: FastifyRequest): UnknownParameters {
  if (isStrict(request)) return "refuse";
  return (passedOver) => {
    request.setDecorator("unknownParameters", passedOver);
  };
}

/** Before a login there is no client, and no tag. */
function isStrict(request: FastifyRequest): boolean {
  if (request.getDecorator<boolean>("isStrict")) return true;
  const caller = request.server.hasRequestDecorator("caller")
    ? request.getDecorator<Caller | null>("caller")
    : null;
  return caller?.client.tags[STRICT_TAG] === "true";
}

/** Only what a header may hold. */
function inHeader({ name, meant }: UnknownParameter): string {
  const shown = encodeURIComponent(shortened(name));
  return meant === undefined ? shown : `${shown} (did you mean ${meant}?)`;
}

function inLog({ name, meant }: UnknownParameter): object {
  return { name: shortened(name), meant };
}

/** Through bytes, so that half of a character that JSON let through becomes a whole one. */
function shortened(given: string): string {
  const name = Buffer.from(given).toString();
  return name.length > LONGEST_NAME ? `${[...name].slice(0, LONGEST_NAME).join("")}…` : name;
}
