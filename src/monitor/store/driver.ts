import pg from "pg";

/** SQLSTATE connection_failure, and that a connection could not be established. */
const CONNECTION_FAILURE = "08006";
export const NOT_CONNECTED = "08001";

/** What the driver says of a connection that failed (pg 8.23, pg-pool 3.14): its own errors have no code. */
const CODES: Readonly<Record<string, string>> = {
  "Connection terminated": CONNECTION_FAILURE,
  "Connection terminated unexpectedly": CONNECTION_FAILURE,
  "Client was closed and is not queryable": CONNECTION_FAILURE,
  "Cannot use a pool after calling end on the pool": CONNECTION_FAILURE,
  "Connection terminated due to connection timeout": NOT_CONNECTED,
  "timeout exceeded when trying to connect": NOT_CONNECTED,
};

/** Gives such an error the code that the server would have given. */
function withCode(error: unknown): unknown {
  if (error instanceof Error && !("code" in error) && Object.hasOwn(CODES, error.message))
    Object.assign(error, { code: CODES[error.message] });
  return error;
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
  override query(...words: unknown[]): never {
    return mapErrors(Reflect.apply(super.query, this, words), withCode);
  }
}

export class Pool extends pg.Pool {
  override connect(...words: unknown[]): never {
    return mapErrors(Reflect.apply(super.connect, this, words), withCode);
  }

  override query(...words: unknown[]): never {
    return mapErrors(Reflect.apply(super.query, this, words), withCode);
  }
}
