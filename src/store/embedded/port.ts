import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:net";

/** The remembered port while it is free, else any free one. */
export async function choosePort(portFile: string): Promise<number> {
  const remembered = Number(await readFile(portFile, "utf8").catch(() => "0"));
  if (remembered > 0 && (await freePort(remembered)) !== null) return remembered;
  const port = await freePort(0);
  if (port === null) throw new Error("no free port on 127.0.0.1");
  return port;
}

export async function rememberPort(portFile: string, port: number): Promise<void> {
  await writeFile(portFile, `${port}\n`);
}

/** The port that could be listened on (0 asks for any), or null. */
function freePort(port: number): Promise<number | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(null));
    server.listen(port, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : null));
    });
  });
}
