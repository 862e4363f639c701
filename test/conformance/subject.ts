import { demand } from "./demand.ts";

interface Credentials {
  readonly username: string;
  readonly password: string;
  readonly platformClientId?: string;
}

export interface SubjectOptions extends Credentials {
  readonly baseUrl: string;
  /** The fixed public client identifier of the service. */
  readonly clientId: string;
  readonly projectId?: string;
  readonly startDate: string;
  readonly endDate: string;
  /** Resolves after so many milliseconds: a service that has a budget is asked again later. */
  readonly wait: (ms: number) => Promise<void>;
  /** How long to wait for a budget, in all. */
  readonly patienceMs: number;
  readonly onCall?: (path: string) => void;
  /** Where these exist: rows about them are left out otherwise. */
  readonly accounts?: {
    /** Role Viewer or the like. */
    readonly withoutApi: Credentials;
    readonly regular: Credentials;
    /** Belongs to these clients. */
    readonly several: Credentials & { readonly clientIds: readonly number[] };
    /** A project of another client. */
    readonly foreignProjectId: number;
  };
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Undefined where the text is no JSON. */
  readonly body: unknown;
}

export type Parameters = readonly (readonly [string, string | number])[];
export type Json = Readonly<Record<string, unknown>>;

/** The service that is looked at. Every GET is asked once and remembered: rows may share it, and budgets are small. */
export interface Subject {
  readonly options: SubjectOptions;
  get(path: string, parameters?: Parameters): Promise<Answer>;
  /** The body of a 200. */
  read(path: string, parameters?: Parameters): Promise<Json>;
  /** Never remembered. */
  send(
    method: string,
    path: string,
    request?: {
      parameters?: Parameters;
      token?: string | null;
      json?: unknown;
      form?: Record<string, string>;
    },
  ): Promise<Answer>;
  logIn(
    credentials: Credentials,
    without?: readonly string[],
    more?: Record<string, string>,
  ): Promise<Answer>;
  token(): Promise<string>;
  /** The project that is looked at, and its queries. */
  project(): Promise<{ readonly id: number; readonly queryIds: readonly number[] }>;
  /** Parameters of a mentions call over the whole range, of the query with most mentions. */
  range(): Promise<Parameters>;
}

export function createSubject(options: SubjectOptions): Subject {
  const base = options.baseUrl.replace(/\/$/, "");
  const asked = new Map<string, Promise<Answer>>();
  let leftMs = options.patienceMs;
  let token: Promise<string> | undefined;
  let project: ReturnType<Subject["project"]> | undefined;
  let range: Promise<Parameters> | undefined;

  async function ask(url: string, init: RequestInit): Promise<Answer> {
    options.onCall?.(new URL(url).pathname);
    const response = await fetch(url, { ...init, redirect: "manual" });
    const text = await response.text();
    if (response.status === 429 && leftMs > 0) {
      const pauseMs = Math.min(leftMs, Number(response.headers.get("retry-after") ?? 60) * 1_000);
      leftMs -= pauseMs;
      await options.wait(pauseMs);
      return ask(url, init);
    }
    return { status: response.status, headers: response.headers, text, body: parse(text) };
  }

  const subject: Subject = {
    options,
    get(path, parameters = []) {
      const key = addressOf("", path, parameters);
      const known = asked.get(key) ?? subject.send("GET", path, { parameters });
      asked.set(key, known);
      return known;
    },
    async read(path, parameters) {
      const answer = await subject.get(path, parameters);
      demand(answer.status === 200, `${path} answers ${answer.status}: ${answer.text.slice(0, 200)}`);
      demand(isJson(answer.body), `${path} answers 200 without a JSON object`);
      return answer.body;
    },
    async send(method, path, { parameters = [], token: given, json, form } = {}) {
      const bearer = given === undefined ? await subject.token() : given;
      const body = json !== undefined ? JSON.stringify(json) : form && new URLSearchParams(form).toString();
      const type = json !== undefined ? "application/json" : "application/x-www-form-urlencoded";
      return ask(addressOf(base, path, parameters), {
        method,
        headers: {
          ...(bearer === null ? {} : { authorization: `bearer ${bearer}` }),
          ...(body === undefined ? {} : { "content-type": type }),
        },
        ...(body === undefined ? {} : { body }),
      });
    },
    logIn({ username, password, platformClientId }, without = [], more = {}) {
      const parameters = Object.entries({
        username,
        grant_type: "api-password",
        client_id: options.clientId,
        ...(platformClientId === undefined ? {} : { platform_client_id: platformClientId }),
        ...more,
      }).filter(([name]) => !without.includes(name));
      const form = without.includes("password") ? {} : { password };
      return subject.send("POST", "/oauth/token", { parameters, form, token: null });
    },
    token() {
      token ??= firstToken();
      return token;
    },
    project() {
      project ??= chooseProject();
      return project;
    },
    range() {
      range ??= chooseRange();
      return range;
    },
  };

  async function firstToken(): Promise<string> {
    const answer = await subject.logIn(options);
    const given = isJson(answer.body) ? answer.body["access_token"] : undefined;
    demand(typeof given === "string", `the login is answered with ${answer.status} and no token`);
    return given;
  }

  async function chooseProject() {
    const ids =
      options.projectId === undefined
        ? idsOf(await subject.read("/projects/summary"))
        : [Number(options.projectId)];
    for (const id of ids) {
      const queryIds = idsOf(await subject.read(`/projects/${id}/queries/summary`));
      if (queryIds.length > 0) return { id, queryIds };
    }
    demand(false, "this login sees no project that has queries");
  }

  async function chooseRange(): Promise<Parameters> {
    const { id, queryIds } = await subject.project();
    const { startDate, endDate } = options;
    let best: { parameters: Parameters; total: number } | undefined;
    for (const queryId of queryIds.slice(0, 5)) {
      const parameters: Parameters = [
        ["queryId", queryId],
        ["startDate", startDate],
        ["endDate", endDate],
      ];
      const page = await subject.read(`/projects/${id}/data/mentions`, [...parameters, ["pageSize", 20]]);
      const total = Number(page["resultsTotal"]);
      if (best === undefined || total > best.total) best = { parameters, total };
    }
    demand(best !== undefined, "the project has no queries");
    return best.parameters;
  }

  return subject;
}

export function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The records of an envelope. */
export function resultsOf(body: Json): readonly Json[] {
  const results = body["results"];
  demand(Array.isArray(results), "results is no array");
  return results.filter(isJson);
}

function idsOf(body: Json): number[] {
  return resultsOf(body).map((record) => Number(record["id"]));
}

function addressOf(base: string, path: string, parameters: Parameters): string {
  const query = parameters.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
  return `${base}${path}${query === "" ? "" : `?${query}`}`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
