/** Settings from the environment: where things run. Everything else is in `earshot.yaml`. */
export interface Environment {
  readonly databaseUrl: string | null;
  readonly redisUrl: string | null;
  /** Null: each program has its own default. */
  readonly logLevel: string | null;
  /** The data folder of embedded parts. */
  readonly home: string;
  readonly configFile: string;
}

export function readEnvironment(env: NodeJS.ProcessEnv): Environment {
  return {
    databaseUrl: env["DATABASE_URL"] || null,
    redisUrl: env["REDIS_URL"] || null,
    logLevel: env["LOG_LEVEL"] || null,
    home: env["EARSHOT_HOME"] || ".earshot",
    configFile: env["EARSHOT_CONFIG"] || "earshot.yaml",
  };
}
