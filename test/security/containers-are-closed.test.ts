import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { ROLES } from "../../src/monitor/roles.ts";

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
  readonly volumes?: readonly string[];
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

/** The keys of the compose specification that this file may use, with the form of their values. */
const Text = z.string().min(1);
const Time = z.string().regex(/^\d+(ms|s|m)$/);
const Check = z.union([
  z.strictObject({ disable: z.literal(true) }),
  z.strictObject({
    test: z.tuple([z.enum(["CMD", "CMD-SHELL"])], Text),
    interval: Time,
    timeout: Time,
    retries: z.int(),
  }),
]);
const ServiceShape = z.strictObject({
  image: Text,
  build: Text.optional(),
  command: z.array(Text).optional(),
  init: z.boolean().optional(),
  restart: z.enum(["no", "always", "on-failure", "unless-stopped"]),
  stop_grace_period: Time.optional(),
  env_file: z.array(z.strictObject({ path: Text, required: z.boolean() })).optional(),
  environment: z.record(z.string().regex(/^[A-Z_]+$/), Text).optional(),
  volumes: z.array(z.string().regex(/^(?:\.\/)?[\w.]+:\/[\w./]+(?::ro)?$/)).optional(),
  tmpfs: z.array(Text),
  networks: z.array(Text).min(1),
  ports: z.array(z.string().regex(/^127\.0\.0\.1:(?:\d+|\$\{\w+:-\d+\}):\d+$/)).optional(),
  depends_on: z.record(Text, z.strictObject({ condition: z.literal("service_healthy") })).optional(),
  healthcheck: Check.optional(),
  profiles: z.array(Text).optional(),
  security_opt: z.array(Text),
  cap_drop: z.array(Text),
  cap_add: z.array(z.string().regex(/^[A-Z_]+$/)).optional(),
  read_only: z.boolean(),
  user: Text.optional(),
});
const Shape = z.looseObject({
  name: Text,
  services: z.record(Text, ServiceShape),
  networks: z.record(Text, z.strictObject({ internal: z.boolean() }).nullable()),
  volumes: z.record(Text, z.null()),
});

it("has only keys that docker compose knows, and names only what is there", () => {
  const file = Shape.parse(compose);
  for (const key of Object.keys(file))
    expect(["name", "services", "networks", "volumes"].includes(key) || key.startsWith("x-"), key).toBe(true);
  for (const [name, service] of Object.entries(file.services)) {
    for (const network of service.networks) expect(Object.keys(file.networks), name).toContain(network);
    for (const [other, { condition }] of Object.entries(service.depends_on ?? {})) {
      expect(condition).toBe("service_healthy");
      expect(file.services[other]?.healthcheck, `${name} waits for ${other}`).toHaveProperty("test");
    }
    for (const volume of service.volumes ?? []) {
      const [from = ""] = volume.split(":");
      if (!from.startsWith("./")) expect(Object.keys(file.volumes)).toContain(from);
    }
  }
});

it("starts every role of Earshot once, by the words of its command line, where the image has its files", () => {
  const { web, worker } = compose.services;
  const roles = [web, worker].flatMap((service) => {
    const [command, flag, list = ""] = service?.command ?? [];
    expect([command, flag]).toEqual(["start", "--roles"]);
    return list.split(",");
  });
  expect(roles.sort()).toEqual([...ROLES, "web"].sort());
  const workdir = /^WORKDIR (\S+)$/m.exec(docker)?.[1];
  expect(web?.environment?.["EARSHOT_CONFIG"]).toBe(`${workdir}/earshot.yaml`);
  const mounted = (web?.volumes ?? []).map((volume) => volume.split(":")[1]);
  expect(mounted).toEqual(["earshot.yaml", "rules", "templates"].map((name) => `${workdir}/${name}`));
  const port = /^EXPOSE (\d+)$/m.exec(docker)?.[1];
  expect(web?.ports).toEqual([expect.stringMatching(new RegExp(`:${port}$`))]);
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
