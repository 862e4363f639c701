import type { Clock } from "../../lib/clock.ts";
import type { Closing } from "../../lib/closing.ts";
import { SECOND } from "../../lib/instant.ts";
import type { Logger } from "../../lib/log.ts";
import { queryScope } from "../model/failure.ts";
import { type Query, sourceOfProject } from "../model/query.ts";
import type { Rule } from "../rules/rule.ts";
import { accessTo } from "../source/source-access.ts";
import { createSourceClient, type SourceClient } from "../source/source-client.ts";
import type { Source } from "../source/source-config.ts";
import type { AccountStores } from "../store/account-stores.ts";
import type { BudgetStore } from "../store/budgets.ts";
import type { Stores } from "../store/stores.ts";
import { createCallGate } from "./call-gate.ts";
import type { PageSource } from "./next-page.ts";
import { type CallNotes, createCallNotes } from "./note-calls.ts";
import type { OwnPriority } from "./page-request.ts";
import { createQuirkLog } from "./quirk-log.ts";

/** A source: its clients, the budget that they share, and the quirks of its server. */
export interface OpenSource {
  readonly config: Source;
  /** Makes the calls that can wait. */
  readonly background: SourceClient;
  readonly budget: BudgetStore;
  readonly calls: CallNotes;
  /** What polls need of it; failures of their calls are recorded. */
  readonly pages: PageSource;
}

interface SourceParts {
  readonly stores: Stores;
  readonly rulesFor: (query: Query) => readonly Rule[];
  readonly clock: Clock;
  readonly log: Logger;
  /** Ends waits for a call. */
  readonly signal: AbortSignal;
}

/** They are closed with `closing`. */
export function openSources(
  configs: readonly Source[],
  { storesOf, ...parts }: SourceParts & { readonly storesOf: (config: Source) => AccountStores },
  closing: Closing,
): readonly OpenSource[] {
  return configs.map((config) => openSource({ ...parts, config, account: storesOf(config) }, closing));
}

/** The client for calls that can wait. */
export function clientOf(sources: readonly OpenSource[], projectId: string): SourceClient {
  const found = sources.find(({ config: { name } }) => name === sourceOfProject(projectId));
  if (found === undefined) throw new Error(`no source is configured for project ${projectId}`);
  return found.background;
}

export function openSource(
  parts: SourceParts & { readonly config: Source; readonly account: AccountStores },
  closing: Closing,
): OpenSource {
  const { config, account, stores, rulesFor, clock } = parts;
  const sources = clientsOf(config, account, parts);
  for (const one of Object.values(sources)) closing.add(one.close);
  const quirkLog = createQuirkLog(account.quirks, clock);
  const calls = createCallNotes({ stores, clock, source: config.name });
  const pages: PageSource = {
    clients: sources,
    rulesFor,
    now: () => clock.now(),
    isWallTime: clock.speed === 1,
    hasOlder: stores.mentions.hasOlder,
    fullest: { rows: 0 },
    pageSize: config.pageSize,
    quirkLog,
    noteCall: (queries, failure) => calls.note(queries.map(queryScope), failure),
  };
  return { config, background: sources.background, budget: account.budget, calls, pages };
}

/** A client for each priority: they share the token and the budget, and differ in the slots that they may take. */
function clientsOf(
  source: Source,
  { budget, tokens }: AccountStores,
  { log, signal }: { readonly log: Logger; readonly signal: AbortSignal },
): Readonly<Record<OwnPriority, SourceClient>> {
  const open = (priority: OwnPriority): SourceClient =>
    createSourceClient({
      ...accessTo(source),
      ...{ tokens, log, signal },
      gate: createCallGate({ budget, priority, timeoutMs: source.timeout, patienceMs: PATIENCE_MS, log }),
    });
  return { crisis: open("crisis"), live: open("live"), background: open("background") };
}

/** A call that must wait longer for its slot gives its worker back. */
const PATIENCE_MS = 2 * SECOND;
