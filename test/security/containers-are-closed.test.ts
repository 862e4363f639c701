import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";

const ROOT = join(import.meta.dirname, "../..");

interface Service {
  readonly image?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly networks?: readonly string[];
  readonly ports?: readonly string[];
  readonly profiles?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly cap_drop?: readonly string[];
  readonly cap_add?: readonly string[];
  readonly read_only?: boolean;
  readonly user?: string;
  readonly command?: readonly string[];
}

const text = await readFile(join(ROOT, "docker-compose.yml"), "utf8");
const compose = parse(text, { merge: true }) as {
  services: Record<string, Service>;
  networks: Record<string, { internal?: boolean } | null>;
};
const services = Object.entries(compose.services);
const docker = await readFile(join(ROOT, "Dockerfile"), "utf8");

it.each(services)(
  "%s gains no rights, has few, and writes nowhere but into volumes and memory",
  (_name, service) => {
    expect(service.security_opt).toContain("no-new-privileges:true");
    expect(service.cap_drop).toEqual(["ALL"]);
    expect(service.read_only).toBe(true);
  },
);

it("no password has a default, and each engine asks for one", () => {
  expect(text).not.toMatch(/PASSWORD:-/);
  const { postgres, redis, web, worker } = compose.services;
  expect(postgres?.environment?.["POSTGRES_PASSWORD"]).toMatch(/^\$\{POSTGRES_PASSWORD:\?/);
  expect(redis?.environment?.["REDIS_PASSWORD"]).toMatch(/^\$\{REDIS_PASSWORD:\?/);
  expect(redis?.command?.join(" ")).toContain("requirepass");
  for (const service of [web, worker]) {
    expect(service?.environment?.["DATABASE_URL"]).toMatch(/:\$\{POSTGRES_PASSWORD:\?[^}]+\}@postgres:/);
    expect(service?.environment?.["REDIS_URL"]).toMatch(/:\$\{REDIS_PASSWORD:\?[^}]+\}@redis:/);
  }
});

it("the engines are reached by Earshot alone, and by no port of the machine", () => {
  expect(compose.networks["data"]).toEqual({ internal: true });
  for (const [name, { networks, ports = [] }] of services) {
    expect(networks, name).toBeDefined();
    for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/);
    if (name !== "postgres" && name !== "redis") continue;
    expect(networks).toEqual(["data"]);
    expect(ports).toEqual([]);
  }
});

it("the mail catcher is there for those who ask for it, and sees no engine", () => {
  expect(compose.services["mail"]).toMatchObject({ profiles: ["mail"], networks: ["outside"] });
});

it("images have a version of at least two parts, or a digest", () => {
  const images = [
    ...services.flatMap(([, { image = "earshot" }]) => (image === "earshot" ? [] : [image])),
    ...[...docker.matchAll(/^FROM (\S+)/gm)].map(([, image = ""]) => image),
  ];
  expect(images.length).toBeGreaterThan(4);
  for (const image of images) expect(image).toMatch(/@sha256:[0-9a-f]{64}$|:v?\d+\.\d+/);
});

it("the image of Earshot runs as a user who is not root, and runs no install script of a package", () => {
  expect(docker.split(/^FROM /m).at(-1)).toMatch(/^USER node$/m);
  for (const [line] of docker.matchAll(/^.*\bnpm (?:ci|install).*$/gm))
    expect(line).toContain("--ignore-scripts");
  expect(docker).not.toMatch(/^ADD /m);
});
