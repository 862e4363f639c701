import { readRetryAfter } from "../lib/retry.ts";
import type { Budget } from "./budget.ts";
import { readBudget } from "./budget.ts";
import type { Transport } from "./transport.ts";

/** What one exchange said about the rate budget. */
export interface ExchangeEnd {
  /** Null: no answer came. */
  readonly status: number | null;
  readonly budget: Budget | null;
  /** When to come again, after a refusal (429). */
  readonly retryAfterMs: number | null;
}

/** Guards the rate budget of the account: no request is sent without its permission, logins included. */
export interface Gate {
  /** Resolves when the exchange may begin, with a function to call at its end. Rejects when it may not begin. */
  enter(call: string, signal?: AbortSignal): Promise<(end: ExchangeEnd) => Promise<void>>;
}

/** The transport behind the gate: every exchange asks for permission, and reports how it ended. */
export function throughGate(transport: Transport, gate: Gate, now: () => number): Transport {
  return {
    close: () => transport.close(),
    request: async (request) => {
      const leave = await gate.enter(request.call, request.signal);
      try {
        const answer = await transport.request(request);
        const refused = answer.status === 429;
        await leave({
          status: answer.status,
          budget: readBudget(answer.header),
          retryAfterMs: refused ? readRetryAfter(answer.header("retry-after"), now()) : null,
        });
        return answer;
      } catch (error) {
        await leave({ status: null, budget: null, retryAfterMs: null });
        throw error;
      }
    },
  };
}
