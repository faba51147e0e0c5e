/** The files for Docker Compose: they fit each other, and their settings work without Docker, on three replicas. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it, onTestFinished } from "vitest"
import { parse } from "yaml"
import { VERSION } from "#contract/Version"
import { SEED_KEY } from "#service/emulator/Seed"
import { ROOT } from "../support/consumer.ts"
import { isNginxInstalled, runNginx } from "../support/nginx.ts"
import { freePort } from "../support/port.ts"
import { noPostgres } from "../support/postgresProject.ts"
import { SECRET, seededDatabase } from "../support/replicas.ts"
import { until } from "../support/until.ts"
import { type ServiceProcess, startServiceWith } from "../support/serviceProcess.ts"
import { assertLike } from "../support/like.ts"

const FOLDER = join(ROOT, "service/packaging/compose")
const read = (name: string): string => readFileSync(join(FOLDER, name), "utf8")

const folder = mkdtempSync(join(tmpdir(), "vps-compose-"))
afterAll(() => rmSync(folder, { recursive: true }))

interface Service {
  readonly image: string
  readonly secrets?: ReadonlyArray<string>
  readonly volumes?: ReadonlyArray<string>
  readonly deploy?: { readonly replicas: number }
  readonly depends_on?: Readonly<Record<string, object>>
}

const compose = parse(read("compose.yaml")) as {
  readonly services: Readonly<Record<string, Service>>
  readonly secrets: Readonly<Record<string, { readonly file: string }>>
  readonly volumes: Readonly<Record<string, null>>
  readonly networks: {
    readonly default: { readonly ipam: { readonly config: readonly [{ readonly subnet: string }] } }
  }
}
const settings = parse(read("service.yaml")) as Readonly<Record<string, unknown>>
const PORT = 8787

describe("compose.yaml", () => {
  const all = Object.values(compose.services)
  it("only refers to its own services, secrets, volumes, and files", () => {
    assert.deepStrictEqual(all.flatMap(({ secrets = [] }) => secrets).filter((name) => !(name in compose.secrets)), [])
    const needed = all.flatMap(({ depends_on: names = {} }) => Object.keys(names))
    assert.deepStrictEqual(needed.filter((name) => !(name in compose.services)), [])
    const sources = all.flatMap(({ volumes = [] }) => volumes.map((volume) => volume.split(":")[0]!))
    const isThere = (source: string) =>
      source.startsWith("./") ? existsSync(join(FOLDER, source)) : source in compose.volumes
    assert.deepStrictEqual(sources.filter((source) => !isThere(source)), [])
  })
  it("runs three replicas of this version", () => {
    assertLike(compose.services["vps"], { image: `vps-service:${VERSION}`, deploy: { replicas: 3 } })
  })
  it("gives the replicas what service.yaml names", () => {
    const named = [...read("service.yaml").matchAll(/\/run\/secrets\/(\S+) /g)].map(([, name]) => name)
    assert.deepEqual<ReadonlyArray<string | undefined>>(named, compose.services["vps"]!.secrets!)
    assert.deepStrictEqual(settings["trusted-proxies"], [compose.networks.default.ipam.config[0].subnet])
    assert.include(read("nginx.conf"), `server vps:${settings["port"] as number} `)
  })
})

const startReplicas = (database: string): Promise<ReadonlyArray<ServiceProcess>> => {
  const secrets = join(folder, "secrets")
  mkdirSync(secrets)
  writeFileSync(join(secrets, "database-url"), `${database}\n`)
  writeFileSync(join(secrets, "secret"), `${SECRET}\n`)
  const config = join(folder, "service.yaml")
  const text = read("service.yaml").replaceAll("/run/secrets", secrets).replace(/\[172\..*\]/, "[127.0.0.1]")
  writeFileSync(config, text)
  return Promise.all([1, 2, 3].map(() => startServiceWith({}, ["--config", config])))
}

const startProxy = async (replicas: ReadonlyArray<ServiceProcess>): Promise<string> => {
  const port = await freePort()
  const servers = replicas.map(({ origin }) => `server ${new URL(origin).host} max_fails=1 fail_timeout=5s;`).join("\n")
  const text = read("nginx.conf").replace(/server vps:.*;/, servers).replace("listen 8080", `listen 127.0.0.1:${port}`)
  assert.notInclude(text, `:${PORT}`)
  runNginx(text)
  return `http://127.0.0.1:${port}`
}

const requestsOf = async ({ origin }: ServiceProcess): Promise<number> => {
  const page = await (await fetch(`${origin}/metrics`)).text()
  const counts = [...page.matchAll(/^vps_http_requests_total\{.*route="[^"]*\/services".*\} (\d+)$/gm)]
  return counts.reduce((sum, [, count]) => sum + Number(count), 0)
}

describe.skipIf(noPostgres || !isNginxInstalled)("its settings, without Docker (needs PostgreSQL and nginx)", () => {
  it("share the requests among the replicas, hide the metrics, and survive the end of a replica", async () => {
    const replicas = await startReplicas(await seededDatabase())
    onTestFinished(() => Promise.all(replicas.map(({ end }) => end())).then(() => undefined))
    const proxy = await startProxy(replicas)
    const list = async (): Promise<number> =>
      (await fetch(`${proxy}/api/v1/services`, { headers: { authorization: `Bearer ${SEED_KEY}` } })).status
    await until(() => list().catch(() => 0), (status) => status === 200)
    for (let count = 0; count < 12; count++) assert.strictEqual(await list(), 200)
    for (const replica of replicas) assert.isAbove(await requestsOf(replica), 0)
    assert.strictEqual((await fetch(`${proxy}/metrics`)).status, 404)
    await replicas[0]!.end()
    for (let count = 0; count < 12; count++) assert.strictEqual(await list(), 200)
  })
})
