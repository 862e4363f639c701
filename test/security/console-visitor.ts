/** A caller of the console that keeps its cookies, as a browser does. */
export interface ConsoleVisitor {
  readonly cookies: Map<string, string>;
  ask(path: string, options?: RequestInit): Promise<Response>;
  post(path: string, form: Record<string, string>, headers?: Record<string, string>): Promise<Response>;
  logIn(username: string, password: string, headers?: Record<string, string>): Promise<Response>;
}

export function aVisitor(url: string, cookies = new Map<string, string>()): ConsoleVisitor {
  const ask = async (path: string, options: RequestInit = {}): Promise<Response> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await fetch(`${url}${path}`, {
      redirect: "manual",
      ...options,
      headers: { accept: "text/html", ...(cookie !== "" && { cookie }), ...options.headers },
    });
    for (const text of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(text) ?? [];
      if (value === "") cookies.delete(name);
      else cookies.set(name, value);
    }
    return answer;
  };
  const post: ConsoleVisitor["post"] = (path, form, headers = {}) =>
    ask(path, { method: "POST", body: new URLSearchParams(form), headers });
  return {
    cookies,
    ask,
    post,
    logIn: async (username, password, headers = {}) => {
      const token = tokenIn(await (await ask("/login", { headers })).text());
      return post("/login", { username, password, token, next: "/" }, headers);
    },
  };
}

/** The token of the first form of a page. */
export function tokenIn(page: string): string {
  return /name="token" value="([^"]+)"/.exec(page)?.[1] ?? "";
}

export function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
}
