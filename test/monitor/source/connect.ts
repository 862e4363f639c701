import { afterEach, beforeEach } from "vitest";
import { createMemoryTokenStore } from "../../../src/monitor/source/session.ts";
import {
  createSourceClient,
  type SourceClient,
  type SourceClientOptions,
} from "../../../src/monitor/source/source-client.ts";
import { SourceError } from "../../../src/monitor/source/source-error.ts";
import { type FakeListeningApi, startFakeListeningApi } from "../../fakes/listening-api.ts";

export const PASSWORD = "pass word&é%<\"'";
export const CREDENTIALS = {
  username: "ada@example.com",
  password: PASSWORD,
  clientId: "listening-api-client",
};

/** A fake API for each test of a file, and clients that are closed after it. */
export function useFakeApi(): {
  readonly api: () => FakeListeningApi;
  connect(options?: Partial<SourceClientOptions>): SourceClient;
} {
  let api: FakeListeningApi;
  const open: SourceClient[] = [];
  beforeEach(async () => {
    api = await startFakeListeningApi();
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((client) => client.close()));
    await api.close();
  });
  return {
    api: () => api,
    connect: (options = {}) => {
      const client = createSourceClient({
        baseUrl: api.baseUrl,
        credentials: CREDENTIALS,
        tokens: createMemoryTokenStore(),
        timeoutMs: 5_000,
        ...options,
      });
      open.push(client);
      return client;
    },
  };
}

export async function failure(work: Promise<unknown>): Promise<SourceError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof SourceError)) throw new Error("expected a SourceError", { cause: error });
  return error;
}
