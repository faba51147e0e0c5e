/** The systems that are compared. A new one is a line in this table. */
import { build } from "esbuild"
import { hash } from "node:crypto"
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { fileURLToPath } from "node:url"

export interface Ready {
  /** Ends in /api/v1. */
  readonly url: string
  readonly api_key?: string
}

export interface System {
  readonly name: string
  /** Once, before anything is measured. */
  readonly build?: () => Promise<unknown>
  /** Arguments to this Node, and additions to the environment. The ready line is the first line of its output. */
  readonly start: (database: string) => { readonly args: Array<string>; readonly env: Record<string, string> }
  /** Makes a copy of the seeded database its own, before the first start. */
  readonly adopt: (database: string) => void
  readonly token: (ready: Ready) => string
}

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** Below the repository, so that it finds fastify; ignored by git. */
const PEER = file("../../../.bench/peer.mjs")

const PEER_TOKEN = "vps_live_bench0123456789abcdefghijklmnopqrstuv"

/** Given to every start, so that the emulator's key opens the same database without the emulator. */
const SECRET = "the-secret-of-the-benchmark-0123456789"

/** Rates are counted and reported as in production, but no client is rejected. */
const MANY = String(1e9)
const UNREACHABLE = {
  VPS_SERVICE_ACCOUNT_REQUESTS_PER_MINUTE: MANY,
  VPS_SERVICE_ACCOUNT_REQUESTS_BURST: MANY,
  VPS_SERVICE_CREATES_PER_MINUTE: MANY,
  VPS_SERVICE_CREATES_PER_HOUR: MANY
}

/** The `service` of DatabaseKind.ts: the built service has no module to import it from. */
const SERVICE_ID = 0x76_70_73_73

const BUILT = file("../../../dist/service")

const serve = (folder: string, database: string, ...flags: Array<string>) => ({
  args: [`${folder}/bin.js`, "--port", "0", "--database", database, ...flags],
  env: { ...UNREACHABLE, VPS_SERVICE_DRIVER: "simulated", VPS_SERVICE_REQUEST_LOG: "false", VPS_SERVICE_SECRET: SECRET }
})

let seedKey = ""

/** The emulator stores the data that all systems start from; it makes a key, and prints it when it is ready. */
const emulatorIn = (folder: string): System => ({
  name: "emulator",
  start: (database) => serve(folder, database, "--emulator"),
  adopt: () => {},
  token: ({ api_key }) => seedKey = api_key ?? ""
})
export const emulator = emulatorIn(BUILT)

/** The built service as it is deployed; the request log is off, as it is for the peer. */
const service: System = {
  name: "pulumi-vps",
  start: (database) => serve(BUILT, database),
  adopt: (database) => {
    const connection = new DatabaseSync(database)
    connection.exec(`PRAGMA application_id = ${SERVICE_ID}`)
    connection.close()
  },
  token: () => seedKey
}

/** The same service, but with a transaction and an fsync for each create: what group commit gains. */
const ALONE = file("../../../.bench/alone")
const ALONE_CONSTANT = { from: "var MAX_BATCH = 128;", to: "var MAX_BATCH = 1;" }

const alone: System = {
  ...service,
  name: "one commit per create",
  build: async () => {
    rmSync(ALONE, { recursive: true, force: true })
    cpSync(BUILT, ALONE, { recursive: true })
    const program = readFileSync(`${ALONE}/main.js`, "utf8").split(ALONE_CONSTANT.from)
    if (program.length !== 2) {
      throw new Error(`dist/service/main.js should say "${ALONE_CONSTANT.from}" once: mend it in systems.ts`)
    }
    writeFileSync(`${ALONE}/main.js`, program.join(ALONE_CONSTANT.to))
  },
  start: (database) => serve(ALONE, database)
}

const peer: System = {
  name: "fastify",
  // Stripping types at start would cost it time and memory that no deployment pays.
  build: () =>
    build({
      entryPoints: [file("./peer/server.ts")],
      outfile: PEER,
      bundle: true,
      packages: "external",
      platform: "node",
      format: "esm",
      target: "node24"
    }),
  start: (database) => ({ args: [PEER, "--port", "0", "--database", database], env: {} }),
  // It hashes keys in its own way, so it gets a key of its own for the same account.
  adopt: (database) => {
    const db = new DatabaseSync(database)
    // The older of two checkouts seeds it; before version 37, the tables that the peer reads had other names.
    if (db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'data_centres'").get() !== undefined) {
      db.exec(`ALTER TABLE data_centre_images RENAME TO data_center_images;
        ALTER TABLE data_center_images RENAME COLUMN data_centre_id TO data_center_id;
        ALTER TABLE plans RENAME COLUMN data_centre_id TO data_center_id`)
    }
    db.prepare(
      `INSERT INTO api_keys (account_id, name, prefix, last4, digest, scopes, created_at)
       SELECT account_id, 'bench', prefix, last4, ?, scopes, created_at FROM api_keys ORDER BY id LIMIT 1`
    ).run(hash("sha256", PEER_TOKEN, "hex"))
    db.close()
  },
  token: () => PEER_TOKEN
}

/** The first is ours; the others are what it is measured against. */
export const SYSTEMS = [service, peer, alone] as const

/**
 * The service as built in another checkout, to compare two commits. Its own emulator stores the data: a newer service
 * upgrades an older one's database, never the other way around.
 */
export const builtIn = (checkout: string): { readonly service: System; readonly emulator: System } => {
  const folder = join(resolve(checkout), "dist/service")
  return {
    service: { ...service, name: "other checkout", start: (database) => serve(folder, database) },
    emulator: emulatorIn(folder)
  }
}
