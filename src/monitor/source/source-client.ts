import { type Clock, systemClock } from "../../lib/clock.ts";
import { MINUTE } from "../../lib/instant.ts";
import { type Budget, type Gate, OPEN_GATE, readBudget } from "./budget.ts";
import type { CallName } from "./call-table.ts";
import { clientRecord, type SourceClientRecord } from "./calls/account.ts";
import { type Hashtag, hashtags, mentions } from "./calls/mentions.ts";
import { projects, queries, type SourceProject, type SourceQuery } from "./calls/projects.ts";
import { type Call, type RawParams, rawCall } from "./define-call.ts";
import { createExtensions, type Extensions } from "./extensions.ts";
import { fetchPages } from "./fetch-pages.ts";
import { type LoginAnswer, login } from "./login.ts";
import type { MentionsParams, ScopeParams } from "./mention-params.ts";
import { idPrefix, NO_PREFIX } from "./prefix-ids.ts";
import { type CallOptions, runCall, type Spelling } from "./run-call.ts";
import { type Credentials, createSession, type TokenStore } from "./session.ts";
import type { Page } from "./to-page.ts";
import { type Answer, createTransport } from "./transport.ts";

/** The log that the client needs. It gets a line at each login, and never a secret. */
interface SourceLog {
  info(fields: object, message: string): void;
}

export interface SourceClientOptions {
  readonly baseUrl: string;
  readonly credentials: Credentials;
  readonly tokens: TokenStore;
  /** For one exchange with the source, its last byte included. A page of 5,000 mentions is about 16 MB. */
  readonly timeoutMs?: number | undefined;
  readonly maxBodyBytes?: number;
  /** Calls at the same time. The source asks for serial ones and may slow others down. */
  readonly connections?: number;
  /** Default: the token in the header, addresses without suffix. */
  readonly spelling?: Partial<Spelling>;
  readonly log?: SourceLog;
  /** Ends every call: the program is stopping. */
  readonly signal?: AbortSignal;
  /** Wall time, for the life of the token. */
  readonly clock?: Clock;
  /** Asked before every exchange, logins included. */
  readonly gate?: Gate | undefined;
  /** Called with what every answer says about the rate budget, failed ones and logins included. */
  readonly onBudget?: (budget: Budget) => void;
  /** Stands before every id of a project or query that the client takes or gives; the server does not know it. */
  readonly prefix?: string | undefined;
}

/**
 * The calls of the Listening API that Earshot makes, and `ask` for all others. Every error about the source is a
 * SourceError. Only a refused token is retried here, since waiting is the queue's job.
 */
export interface SourceClient {
  /** Logs in again, even if a token is known; later calls use the new one. */
  token(options?: CallOptions): Promise<LoginAnswer>;
  client(options?: CallOptions): Promise<SourceClientRecord>;
  projects(options?: CallOptions): Promise<readonly SourceProject[]>;
  queries(projectId: string, options?: CallOptions): Promise<readonly SourceQuery[]>;
  mentionsPage(params: MentionsParams, options?: CallOptions): Promise<Page>;
  /** The pages of one poll, from `params.cursor` or the beginning. Leaving the loop stops the running call. */
  mentions(params: MentionsParams, options?: CallOptions): AsyncIterable<Page>;
  hashtags(params: ScopeParams, options?: CallOptions): Promise<readonly Hashtag[]>;
  /** Calls that the live service has beyond the specification. Another implementation may answer 404. */
  readonly extensions: Extensions;
  /**
   * Any call by its name, as the source takes and writes it: without prefix, ids beyond 53 bits as text. The source has
   * no key to recognise a repeated call, so a failure after which something may have been written is not `retryable`.
   */
  ask(name: CallName, params: RawParams, options?: CallOptions): Promise<unknown>;
  /** Aborts running calls and closes the connections. */
  close(): Promise<void>;
}

export function createSourceClient(options: SourceClientOptions): SourceClient {
  const clock = options.clock ?? systemClock;
  const { credentials, tokens } = options;
  const transport = createTransport({
    baseUrl: options.baseUrl,
    timeoutMs: options.timeoutMs ?? MINUTE,
    maxBodyBytes: options.maxBodyBytes ?? 128 * 1024 * 1024,
    connections: options.connections ?? 4,
    signal: options.signal,
    gate: options.gate ?? OPEN_GATE,
    clock,
  });
  const onAnswer = (answer: Answer): void => {
    const budget = readBudget(answer.header);
    if (budget !== null) options.onBudget?.(budget);
  };
  const logIn = async (signal?: AbortSignal): Promise<LoginAnswer> => {
    const token = await login(credentials, { transport, clock, onAnswer, signal });
    options.log?.info({ expiresAt: token.expiresAt }, "logged in at the source");
    return token;
  };
  const session = createSession({ tokens, clock, login: () => logIn() });
  const deps = {
    transport,
    session,
    clock,
    onAnswer,
    spelling: { tokenIn: "header", jsonSuffix: false, ...options.spelling } as const,
    secrets: [credentials.password],
  };
  const ids = options.prefix === undefined ? NO_PREFIX : idPrefix(options.prefix);
  const run = async <Params, Result>(
    call: Call<Params, Result>,
    params: Params,
    callOptions: CallOptions = {},
  ): Promise<Result> => ids.answered(await runCall(call, ids.asked(params), callOptions, deps));

  return {
    token: (callOptions) =>
      tokens.exclusively(async () => {
        const token = await logIn(callOptions?.signal);
        await tokens.put(token);
        return token;
      }),
    client: (callOptions) => run(clientRecord, undefined, callOptions),
    projects: (callOptions) => run(projects, undefined, callOptions),
    queries: (projectId, callOptions) => run(queries, { projectId }, callOptions),
    mentionsPage: (params, callOptions) => run(mentions, params, callOptions),
    mentions: (params, callOptions = {}) =>
      fetchPages((cursor, signal) => run(mentions, { ...params, cursor }, { signal }), {
        cursor: params.cursor ?? null,
        pageSize: params.pageSize ?? null,
        endOnShortPage: true,
        signal: callOptions.signal,
      }),
    hashtags: (params, callOptions) => run(hashtags, params, callOptions),
    extensions: createExtensions(run),
    ask: (name, params, callOptions) => runCall(rawCall(name), params, callOptions ?? {}, deps),
    close: () => transport.close(),
  };
}
