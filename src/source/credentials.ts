/** The login at the source. None of it may reach a log line, an error or a job. */
export interface Credentials {
  readonly username: string;
  readonly password: string;
  /** The fixed public client identifier of the API. */
  readonly clientId: string;
  /** Selects the client where the login belongs to several of one organisation. */
  readonly platformClientId?: string | undefined;
}
