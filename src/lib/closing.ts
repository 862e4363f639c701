/** Opened parts, to be closed in reverse order: at the orderly end, or when a later part cannot be opened. */
export interface Closing {
  /** Adds a function that closes what was just opened. */
  add(close: () => Promise<unknown>): void;
  /** Closes everything once; a part that fails to close does not keep the others open. Throws the first failure. */
  close(): Promise<void>;
}

export function createClosing(): Closing {
  const steps: (() => Promise<unknown>)[] = [];
  return {
    add: (close) => {
      steps.push(close);
    },
    close: async () => {
      const failures: unknown[] = [];
      for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
        await step().catch((error: unknown) => failures.push(error));
      }
      if (failures.length > 0) throw failures[0];
    },
  };
}

/** Opens parts one after the other; if one cannot be opened, those before it are closed again. */
export async function openTogether<T>(open: (closing: Closing) => Promise<T>): Promise<T> {
  const closing = createClosing();
  try {
    return await open(closing);
  } catch (error) {
    await closing.close().catch(() => {});
    throw error;
  }
}
