import type { InjectOptions } from "fastify";
import type { LocalApi } from "../../src/listening-api/create-local-api.ts";
import type { Answer } from "./fixture.ts";

/** Any request at all. A body that is no JSON is given as text. */
export async function send(api: LocalApi, request: InjectOptions): Promise<Answer> {
  const response = await api.app.inject(request);
  return { status: response.statusCode, headers: { ...response.headers }, body: readBody(response.body) };
}

function readBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
