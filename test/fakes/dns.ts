import { createSocket } from "node:dgram";
import dns, { type LookupAddress, type LookupAllOptions } from "node:dns";
import { once } from "node:events";
import { syncBuiltinESMExports } from "node:module";
import { isIP } from "node:net";

export interface FakeDns {
  /** What a name resolves to; asked anew for each look-up, with their number so far. */
  readonly names: Map<string, (lookUps: number) => readonly string[]>;
  /** Names in the order in which they were looked up. */
  readonly lookedUp: string[];
  close(): Promise<void>;
}

const A = 1;
const AAAA = 28;

/**
 * A DNS server on this machine, and a process that asks it and nobody else: `lookup` of Node asks the system, which no
 * test can set up, so it is replaced for all code by a look-up over this server. Names that it does not know fail.
 */
export async function startDns(): Promise<FakeDns> {
  const names: FakeDns["names"] = new Map();
  const lookedUp: string[] = [];
  const current = new Map<string, readonly string[]>();
  const server = createSocket("udp4");
  server.on("message", (query, from) => {
    const { name, type, end } = questionOf(query);
    const family = type === A ? 4 : type === AAAA ? 6 : 0;
    const found = (current.get(name) ?? []).filter((address) => isIP(address) === family);
    server.send(answerTo(query, end, type, found), from.port, from.address);
  });
  server.bind(0, "127.0.0.1");
  await once(server, "listening");
  const resolver = new dns.promises.Resolver({ timeout: 2_000, tries: 1 });
  resolver.setServers([`127.0.0.1:${server.address().port}`]);

  async function resolve(name: string): Promise<LookupAddress[]> {
    // Servers look up where they listen, too.
    if (isIP(name) !== 0) return [{ address: name, family: isIP(name) }];
    const known = names.get(name);
    lookedUp.push(name);
    if (known !== undefined) current.set(name, known(lookedUp.filter((one) => one === name).length));
    const [four, six] = await Promise.all([
      resolver.resolve4(name).catch(() => []),
      resolver.resolve6(name).catch(() => []),
    ]);
    const found = [
      ...six.map((address) => ({ address, family: 6 })),
      ...four.map((address) => ({ address, family: 4 })),
    ];
    if (found.length > 0) return found;
    throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: "ENOTFOUND", hostname: name });
  }

  const real = { lookup: dns.lookup, promised: dns.promises.lookup };
  type Done = (...found: unknown[]) => void;
  const lookup = (name: string, how: Partial<LookupAllOptions> | Done, then?: Done): void => {
    const done = typeof how === "function" ? how : (then ?? (() => {}));
    const isAll = typeof how === "object" && how.all === true;
    resolve(name).then(
      (found) => (isAll ? done(null, found) : done(null, found[0]?.address, found[0]?.family)),
      (error: unknown) => done(error),
    );
  };
  const promised = async (name: string, options: Partial<LookupAllOptions> = {}): Promise<unknown> => {
    const found = await resolve(name);
    return options.all === true ? found : found[0];
  };
  Object.assign(dns, { lookup });
  Object.assign(dns.promises, { lookup: promised });
  syncBuiltinESMExports();
  return {
    names,
    lookedUp,
    async close() {
      Object.assign(dns, { lookup: real.lookup });
      Object.assign(dns.promises, { lookup: real.promised });
      syncBuiltinESMExports();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** The first question of a message: its name, its type, and where it ends. */
function questionOf(query: Buffer): { readonly name: string; readonly type: number; readonly end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join(".").toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function answerTo(query: Buffer, end: number, type: number, addresses: readonly string[]): Buffer {
  const head = Buffer.from(query.subarray(0, 12));
  head.writeUInt16BE(0x8180, 2);
  head.writeUInt16BE(addresses.length, 6);
  head.fill(0, 8, 12);
  const records = addresses.map((address) => {
    const bytes = bytesOf(address);
    const record = Buffer.alloc(12);
    // The name is that of the question, and nobody may keep the answer.
    record.writeUInt16BE(0xc00c, 0);
    record.writeUInt16BE(type, 2);
    record.writeUInt16BE(1, 4);
    record.writeUInt16BE(bytes.length, 10);
    return Buffer.concat([record, bytes]);
  });
  return Buffer.concat([head, query.subarray(12, end), ...records]);
}

function bytesOf(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split(".").map(Number));
  const [, four] = /:(\d+\.\d+\.\d+\.\d+)$/.exec(address) ?? [];
  const plain =
    four === undefined
      ? address
      : address.replace(
          four,
          bytesOf(four)
            .toString("hex")
            .replace(/^(.{4})/, "$1:"),
        );
  const [before = "", after] = plain.split("::");
  const groups = (text: string) => text.split(":").filter((group) => group !== "");
  const filled = 8 - groups(before).length - groups(after ?? "").length;
  const all = [
    ...groups(before),
    ...Array<string>(after === undefined ? 0 : filled).fill("0"),
    ...groups(after ?? ""),
  ];
  return Buffer.from(all.map((group) => group.padStart(4, "0")).join(""), "hex");
}
