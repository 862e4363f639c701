import pg from "pg";
import { codeOf } from "../../lib/errors.ts";
import { type TransientCode, TransientError } from "../../lib/retry.ts";

/** What the driver says of a connection that failed (pg 8.23, pg-pool 3.14): its own errors have no code. */
const DRIVER_ERRORS: Readonly<Record<string, TransientCode>> = {
  "Connection terminated": "ConnectionFailed",
  "Connection terminated unexpectedly": "ConnectionFailed",
  "Client was closed and is not queryable": "ConnectionFailed",
  "Cannot use a pool after calling end on the pool": "ConnectionFailed",
  "Connection terminated due to connection timeout": "NotConnected",
  "timeout exceeded when trying to connect": "NotConnected",
};

/** Of SQLSTATE, the classes of errors that are about the server and not about the statement. */
const CLASSES: Readonly<Record<string, TransientCode>> = {
  "08": "ConnectionFailed",
  "40": "Conflict",
  "53": "OutOfResources",
  "55": "Locked",
  "57": "ServerStopped",
  "58": "SystemFault",
};

/** Of these classes, what is not like the rest of its class. */
const STATES: Readonly<Record<string, TransientCode>> = { "08001": "NotConnected", "57014": "Canceled" };

/** A failure of the server or of the way to it becomes a TransientError; a mistake in a statement stays what it is. */
export function classify(error: unknown): unknown {
  const kind = kindOf(error);
  if (kind === null || error instanceof TransientError || !(error instanceof Error)) return error;
  // Where an address has several numbers, the error for all of them has no message.
  return new TransientError(kind, reasonOf(error));
}

/** `could not extend file "base/16388/16964": wrote only 4096 of 8192 bytes` says to few that the disk is full. */
function reasonOf(error: Error): string {
  const code = codeOf(error);
  const reason = error.message || (code ?? error.name);
  return code === DISK_FULL
    ? `the disk of the database is full: make room, then work goes on (${reason})`
    : reason;
}

const DISK_FULL = "53100";

function kindOf(error: unknown): TransientCode | null {
  const code = codeOf(error);
  if (code === null) return (error instanceof Error && DRIVER_ERRORS[error.message]) || null;
  // A code of the network, such as ECONNREFUSED.
  if (/^E[A-Z]{3,}/.test(code)) return "ConnectionFailed";
  return STATES[code] ?? CLASSES[code.slice(0, 2)] ?? null;
}

/** A promise of the driver with its error changed. A call with a callback is the pool's own: the pool's promise fails. */
export function mapErrors(result: unknown, change: (error: unknown) => unknown): never {
  const fail = (error: unknown): never => {
    throw change(error);
  };
  return (result instanceof Promise ? result.catch(fail) : result) as never;
}

// The driver's overloads do not matter here: only its errors are changed.
export class Client extends pg.Client {
  override connect(...words: unknown[]): never {
    return mapErrors(Reflect.apply(super.connect, this, words), classify);
  }

  override query(...words: unknown[]): never {
    return mapErrors(Reflect.apply(super.query, this, words), classify);
  }
}

export class Pool extends pg.Pool {
  override connect(...words: unknown[]): never {
    return mapErrors(Reflect.apply(super.connect, this, words), classify);
  }

  override query(...words: unknown[]): never {
    return mapErrors(Reflect.apply(super.query, this, words), classify);
  }
}
