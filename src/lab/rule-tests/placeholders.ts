/**
 * An environment in which every variable has a value, because rule tests need no secret and must run where none is
 * known. The form follows the name, so that the value passes the schema of what it is usually used for.
 */
export function withPlaceholders(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return new Proxy(env, {
    get: (known, name) => {
      if (typeof name !== "string") return undefined;
      const value = known[name];
      return value === undefined || value === "" ? placeholderFor(name) : value;
    },
  });
}

function placeholderFor(name: string): string {
  if (/URL|WEBHOOK(?!.*SECRET)|HEARTBEAT|ADDRESS/i.test(name)) return "https://placeholder.example/";
  if (/APP_?TOKEN/i.test(name)) return "xapp-placeholder";
  if (/TOKEN/i.test(name)) return "xoxb-placeholder";
  return "placeholder-placeholder";
}
