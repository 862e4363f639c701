import { type Clock, systemClock } from "../lib/clock.ts";
import { MINUTE } from "../lib/instant.ts";
import { type Budget, readBudget } from "./budget.ts";
import { categories, type SourceCategory } from "./calls/categories.ts";
import { clientRecord, type SourceClientRecord } from "./calls/client-record.ts";
import { me, type SourceMe } from "./calls/me.ts";
import { mentions } from "./calls/mentions.ts";
import { projects, type SourceProject } from "./calls/projects.ts";
import { queries, type SourceQuery } from "./calls/queries.ts";
import type { Credentials } from "./credentials.ts";
import type { Call } from "./define-call.ts";
import { type Gate, throughGate } from "./gate.ts";
import { login } from "./login.ts";
import type { MentionsParams } from "./mentions-path.ts";
import { type CallOptions, runCall } from "./run-call.ts";
import { createSession } from "./session.ts";
import type { Page } from "./to-page.ts";
import type { TokenStore } from "./token-store.ts";
import { type Answer, createTransport } from "./transport.ts";
import { walkPages } from "./walk-pages.ts";

/** What the client needs of a log. It is told when it logged in, and never with what. */
export interface SourceLog {
  info(fields: object, message: string): void;
}

export interface SourceClientOptions {
  readonly baseUrl: string;
  readonly credentials: Credentials;
  readonly tokens: TokenStore;
  /** For one exchange with the source, its last byte included. A page of 5,000 mentions is about 16 MB. */
  readonly timeoutMs?: number;
  readonly maxBodyBytes?: number;
  /** Calls at the same time. The source asks for serial ones and may slow others down. */
  readonly connections?: number;
  readonly log?: SourceLog;
  /** Ends every call: the program is stopping. */
  readonly signal?: AbortSignal;
  /** Wall time, for the life of the token. */
  readonly clock?: Clock;
  /** Asked before every exchange, logins included. */
  readonly gate?: Gate;
  /** Told what every answer says about the rate budget, failed ones and logins included. */
  readonly onBudget?: (budget: Budget) => void;
}

export interface WalkMentionsOptions extends CallOptions {
  /** 1: the next page is fetched while the caller works on this one. Default 0. */
  readonly prefetch?: 0 | 1;
  /** Default true; false follows `nextCursor` until a page is empty, for one call more. */
  readonly endOnShortPage?: boolean;
}

/**
 * The Listening API as Earshot uses it. Everything it throws about the source is a SourceError; nothing is retried
 * here but a refused token, since waiting is the queue's job. A further call is a file in `calls/` and a line below.
 */
export interface SourceClient {
  client(options?: CallOptions): Promise<SourceClientRecord>;
  me(options?: CallOptions): Promise<SourceMe>;
  projects(options?: CallOptions): Promise<readonly SourceProject[]>;
  queries(projectId: string, options?: CallOptions): Promise<readonly SourceQuery[]>;
  categories(projectId: string, options?: CallOptions): Promise<readonly SourceCategory[]>;
  mentionsPage(params: MentionsParams, options?: CallOptions): Promise<Page>;
  /** The pages of one walk, from `params.cursor` or the beginning. Breaking off stops what is under way. */
  mentions(params: MentionsParams, options?: WalkMentionsOptions): AsyncIterable<Page>;
  /** Ends what is under way and closes the connections. */
  close(): Promise<void>;
}

export function createSourceClient(options: SourceClientOptions): SourceClient {
  const clock = options.clock ?? systemClock;
  const open = createTransport({
    baseUrl: options.baseUrl,
    timeoutMs: options.timeoutMs ?? MINUTE,
    maxBodyBytes: options.maxBodyBytes ?? 128 * 1024 * 1024,
    connections: options.connections ?? 4,
    signal: options.signal,
  });
  const transport = options.gate === undefined ? open : throughGate(open, options.gate, () => clock.now());
  const onAnswer = (answer: Answer): void => {
    const budget = readBudget(answer.header);
    if (budget !== null) options.onBudget?.(budget);
  };
  const session = createSession({
    tokens: options.tokens,
    clock,
    login: async () => {
      const token = await login(options.credentials, { transport, clock, onAnswer });
      options.log?.info({ expiresAt: token.expiresAt }, "logged in at the source");
      return token;
    },
  });
  const run = <Params, Result>(
    call: Call<Params, Result>,
    params: Params,
    callOptions: CallOptions = {},
  ): Promise<Result> => runCall(call, params, callOptions, { transport, session, clock, onAnswer });

  return {
    client: (callOptions) => run(clientRecord, undefined, callOptions),
    me: (callOptions) => run(me, undefined, callOptions),
    projects: (callOptions) => run(projects, undefined, callOptions),
    queries: (projectId, callOptions) => run(queries, { projectId }, callOptions),
    categories: (projectId, callOptions) => run(categories, { projectId }, callOptions),
    mentionsPage: (params, callOptions) => run(mentions, params, callOptions),
    mentions: (params, walk = {}) =>
      walkPages((cursor, signal) => run(mentions, { ...params, cursor }, { signal }), {
        cursor: params.cursor ?? null,
        pageSize: params.pageSize ?? null,
        prefetch: walk.prefetch ?? 0,
        endOnShortPage: walk.endOnShortPage ?? true,
        signal: walk.signal,
      }),
    close: () => transport.close(),
  };
}
