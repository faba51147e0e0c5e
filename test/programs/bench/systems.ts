/** The systems that are compared. A new one is a line in this table. */
import { build } from "esbuild"
import { execFileSync } from "node:child_process"
import { hash } from "node:crypto"
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { fileURLToPath } from "node:url"
import { ONE_HEAP, SEMI_SPACE_FLAG } from "#service/runtime/ProcessTuning"

export interface Ready {
  /** Ends in /api/v1. */
  readonly url: string
  readonly api_key?: string
}

interface Start {
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
}

export interface System {
  readonly name: string
  /** Once, before anything is measured. */
  readonly build?: () => Promise<unknown>
  /** The ready line is the first line of its output. The database is a file, or PostgreSQL's URL. */
  readonly start: (database: string) => Start
  /** Makes a copy of the seeded database its own, before the first start. */
  readonly adopt: (database: string) => void
  /** API keys of its own. */
  readonly tokens?: ReadonlyArray<string>
  /** False if nothing executes the tasks. */
  readonly hasWorker: boolean
}

const ROOT = fileURLToPath(new URL("../../../", import.meta.url))
/** Below the repository, so that it finds fastify; ignored by git. */
const BENCH = join(ROOT, ".bench")
const PEER = join(BENCH, "peer.mjs")
const PEER_TOKEN = "vps_live_bench0123456789abcdefghijklmnopqrstuv"

/** Given to every start, so that the emulator's keys open the same database without the emulator. */
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

/** As the unit and the image start it: once, with the flag and the variable for memory. The request log is off. */
const serve = (folder: string, database: string, ...flags: Array<string>): Start => ({
  command: process.execPath,
  args: [SEMI_SPACE_FLAG, join(folder, "dist/service/bin.js"), "--port", "0", "--database", database, ...flags],
  env: {
    ...UNREACHABLE,
    ...ONE_HEAP,
    VPS_SERVICE_DRIVER: "simulated",
    VPS_SERVICE_REQUEST_LOG: "false",
    VPS_SERVICE_SECRET: SECRET
  }
})

/**
 * The service as built in a checkout, and its emulator, which stores the data that all systems start from: a newer
 * service upgrades an older one's database, never the other way around.
 */
export interface Build {
  readonly service: System
  readonly emulator: System
}

const builtIn = (name: string, folder: string): Build => ({
  service: {
    name,
    start: (database) => serve(folder, database),
    adopt: (database) => {
      const connection = new DatabaseSync(database)
      connection.exec(`PRAGMA application_id = ${SERVICE_ID}`)
      connection.close()
    },
    hasWorker: true
  },
  emulator: {
    name: `emulator of ${name}`,
    start: (database) => serve(folder, database, "--emulator"),
    adopt: () => {},
    hasWorker: true
  }
})

export const OURS = builtIn("pulumi-vps", ROOT)

/** The build that every run is compared with, unless `--beside` names another: the state before issue 31. */
const FIXED = "3fd11a51"

/** Built once, with our dependencies. */
const fixedBuild = (): string => {
  const folder = join(BENCH, "before", FIXED)
  if (existsSync(join(folder, "dist/service/bin.js"))) return folder
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const archive = execFileSync("git", ["archive", FIXED], { cwd: ROOT, maxBuffer: 2 ** 30 })
  execFileSync("tar", ["-x", "-C", folder], { input: archive })
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"))
  execFileSync(process.execPath, ["--conditions=pulumi-vps-source", ".config/build.ts"], {
    cwd: folder,
    stdio: ["ignore", 2, 2]
  })
  return folder
}

/** The flags of programs that compare builds. */
export const BESIDE = { beside: { type: "string" }, alone: { type: "boolean", default: false } } as const

/** The older build; undefined by `--alone`. */
export const olderBuild = ({ alone, beside }: { alone: boolean; beside?: string | undefined }): Build | undefined =>
  alone
    ? undefined
    : beside === undefined
    ? builtIn(FIXED, fixedBuild())
    : builtIn("other checkout", resolve(beside))

/** The same service, but with a transaction and an fsync for each create: what group commit gains. */
const UNGROUPED = join(BENCH, "ungrouped")
const BATCH_CONSTANT = { from: "var MAX_BATCH = 128;", to: "var MAX_BATCH = 1;" }

export const ungrouped: System = {
  ...builtIn("one commit per create", UNGROUPED).service,
  build: async () => {
    rmSync(UNGROUPED, { recursive: true, force: true })
    cpSync(join(ROOT, "service/dist"), join(UNGROUPED, "dist/service"), { recursive: true })
    const program = readFileSync(`${UNGROUPED}/dist/service/main.js`, "utf8").split(BATCH_CONSTANT.from)
    if (program.length !== 2) {
      throw new Error(`service/dist/main.js should say "${BATCH_CONSTANT.from}" once: mend it in systems.ts`)
    }
    writeFileSync(`${UNGROUPED}/dist/service/main.js`, program.join(BATCH_CONSTANT.to))
  }
}

export const peer: System = {
  name: "fastify",
  // Stripping types at start would cost it time and memory that no deployment pays.
  build: () =>
    build({
      entryPoints: [fileURLToPath(new URL("./peer/server.ts", import.meta.url))],
      outfile: PEER,
      bundle: true,
      packages: "external",
      platform: "node",
      format: "esm",
      target: "node24"
    }),
  start: (database) => ({ command: process.execPath, args: [PEER, "--port", "0", "--database", database], env: {} }),
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
  tokens: [PEER_TOKEN],
  hasWorker: false
}
