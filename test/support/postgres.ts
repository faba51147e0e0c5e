/**
 * A real PostgreSQL server for tests: in a folder of its own, on a free port, never as root. It can be stopped, killed
 * and started again, and gives out fresh databases.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { chmodSync, chownSync, copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { Client } from "pg"
import type { Certificate } from "./certificates.ts"
import { programs, serverUser } from "./postgresPrograms.ts"

export interface PostgresServer {
  /** Of its first database, with user and password. */
  readonly url: string
  /** Makes an empty database and returns its URL; with a URL, a copy of that database. */
  readonly database: (copyOf?: string) => Promise<string>
  /** Runs SQL on the database of the URL, by default the first; returns the last statement's rows. */
  readonly query: (sql: string, url?: string) => Promise<ReadonlyArray<Record<string, unknown>>>
  /** Ends it in an orderly way, cutting its connections: it is down until it is started again. */
  readonly stop: () => Promise<void>
  /** Ends it by SIGKILL. */
  readonly kill: () => Promise<void>
  /** Starts it again on the same port and the same files; ends when it takes connections. */
  readonly start: () => Promise<void>
  /** The running process, whose children serve the connections. */
  readonly pid: () => number
  /** Restarts it, and starts a copy that follows it from then on. */
  readonly standby: () => Promise<Standby>
  /** Shows another certificate from its next start on. */
  readonly show: (certificate: Certificate) => void
  /** Ends it and removes its files. */
  readonly close: () => Promise<void>
}

/** A server that follows another one. */
export interface Standby extends PostgresServer {
  /** Makes it a primary; ends when it accepts writes. */
  readonly promote: () => Promise<void>
}

interface Options {
  /** True if what was committed survives a power cut, and not a kill alone. Default: false, which is faster. */
  readonly durable?: boolean
  /** Most connections at once. Default: 300. */
  readonly connections?: number
  /** Offers TLS. */
  readonly tls?: {
    readonly certificate: Certificate
    /** The file of the CA that signs for clients. */
    readonly clients: string
    /** Lines for the top of pg_hba.conf. */
    readonly rules: ReadonlyArray<string>
  }
}

const USER = "vps"
const PASSWORD = "a-password-of-the-tests"
const HOST = "127.0.0.1"
/** A server that was killed leaves children that go within some milliseconds; until then its files are taken. */
const START_TRIES = 50
const START_PAUSE_MILLIS = 200

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, HOST)
  await once(server, "listening")
  const { port } = server.address() as { port: number }
  server.close()
  return port
}

/** Nothing of the caller's environment: PGDATA or a locale would lead it elsewhere. */
const environment = { LC_ALL: "C", PATH: "/usr/bin:/bin" }

const giveToServer = (paths: ReadonlyArray<string>): void => {
  if (serverUser !== undefined) { for (const path of paths) chownSync(path, serverUser.uid, serverUser.gid) }
}

const initialise = (bin: string, folder: string): void => {
  const secret = join(folder, "password")
  writeFileSync(secret, PASSWORD)
  giveToServer([folder, secret])
  const args = ["-D", join(folder, "data"), "-U", USER, "-A", "scram-sha-256", "--pwfile", secret]
  const { error, status, stderr, stdout } = spawnSync(
    join(bin, "initdb"),
    [...args, "-E", "UTF8", "--locale=C", "--no-sync"],
    { ...serverUser, cwd: folder, encoding: "utf8", env: environment }
  )
  if (status === 0) return
  rmSync(folder, { recursive: true, force: true })
  throw new Error(`initdb failed: ${error?.message ?? ""} ${stdout ?? ""}${stderr ?? ""}`)
}

/** A copy that only its user may read, as PostgreSQL requires. */
const give = (from: string, to: string): void => {
  rmSync(to, { force: true })
  copyFileSync(from, to)
  chmodSync(to, 0o600)
  giveToServer([to])
}

/** The files of a server that was stopped, as those of a server that follows it. */
const copyFiles = (from: string, folder: string): void => {
  const data = join(folder, "data")
  // Node.js would give them to root.
  const { status, stderr } = spawnSync("cp", ["-a", from, data], { encoding: "utf8" })
  if (status !== 0) throw new Error(`the files of ${from} were not copied: ${stderr}`)
  const signal = join(data, "standby.signal")
  writeFileSync(signal, "")
  giveToServer([folder, signal])
}

const showIn = (folder: string) => ({ cert, key }: Certificate): void => {
  give(cert, join(folder, "server.pem"))
  give(key, join(folder, "server.key"))
}

const prepareTls = ({ certificate, clients, rules }: NonNullable<Options["tls"]>, folder: string): void => {
  showIn(folder)(certificate)
  give(clients, join(folder, "clients.pem"))
  const access = join(folder, "data/pg_hba.conf")
  writeFileSync(access, [...rules, readFileSync(access, "utf8")].join("\n"))
}

const settingsOf = (
  { connections = 300, durable = false, tls }: Options,
  port: number,
  folder: string
): ReadonlyArray<string> => {
  const quick = ["fsync=off", "full_page_writes=off", "synchronous_commit=off"]
  const settings = [
    `listen_addresses=${HOST}`,
    `port=${port}`,
    `unix_socket_directories=${folder}`,
    `max_connections=${connections}`,
    "timezone=UTC",
    ...(durable ? [] : quick),
    ...(tls === undefined ? [] : [
      "ssl=on",
      `ssl_cert_file=${join(folder, "server.pem")}`,
      `ssl_key_file=${join(folder, "server.key")}`,
      `ssl_ca_file=${join(folder, "clients.pem")}`
    ])
  ]
  return settings.flatMap((setting) => ["-c", setting])
}

const READY = /ready to accept (?:read-only )?connections/

/** Resolves when the server takes connections; returns what it wrote when it ended instead. */
const readiness = (child: ChildProcess): Promise<string | undefined> =>
  new Promise((resolve) => {
    let log = ""
    child.stderr!.on("data", (chunk) => {
      if (READY.test(log)) return
      log += String(chunk)
      if (READY.test(log)) resolve(undefined)
    })
    child.once("exit", () => resolve(log))
  })

/** One server process after another over the same files. */
const makeProcess = (bin: string, folder: string, settings: ReadonlyArray<string>) => {
  let child: ChildProcess | undefined
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, "exit")
    child.kill(signal)
    await exited
  }
  const start = async (tries = START_TRIES): Promise<void> => {
    child = spawn(join(bin, "postgres"), ["-D", join(folder, "data"), ...settings], {
      ...serverUser,
      cwd: folder,
      stdio: ["ignore", "ignore", "pipe"],
      env: environment
    })
    const problem = await readiness(child)
    if (problem === undefined) return
    if (tries <= 1) throw new Error(`postgres did not start: ${problem}`)
    await setTimeout(START_PAUSE_MILLIS)
    return start(tries - 1)
  }
  return { start: () => start(), end, pid: () => child!.pid! }
}

/** Runs SQL on the database of a URL; returns the last statement's rows. */
export const query: PostgresServer["query"] = async (sql, url) => {
  const client = new Client({ connectionString: url! })
  await client.connect()
  try {
    const results: unknown = await client.query(sql)
    return (Array.isArray(results) ? results.at(-1) : results).rows
  } finally {
    await client.end()
  }
}

/** Makes an empty database, or a copy of another one, on the server of a URL; returns the URL of the new one. */
export const makeDatabase = async (server: string, copyOf?: string): Promise<string> => {
  const name = `test_${randomUUID().replaceAll("-", "")}`
  const template = copyOf === undefined ? "" : ` TEMPLATE ${new URL(copyOf).pathname.slice(1)}`
  await query(`CREATE DATABASE ${name}${template}`, server)
  return new URL(name, server).href
}

/** True if there is a PostgreSQL to start here. */
export const isAvailable = (): boolean => programs() !== undefined

interface Files {
  readonly bin: string
  /** Of this server only. */
  readonly folder: string
}

const makeFolder = (): Files => {
  const folder = mkdtempSync(join(tmpdir(), "pulumi-vps-postgres-"))
  // The server runs as another user when we are root.
  chmodSync(folder, 0o755)
  const bin = programs()?.(folder)
  if (bin === undefined) throw new Error("there is no PostgreSQL here: set PG_BIN to the folder of its programs")
  return { bin, folder }
}

const run = async (
  { bin, folder }: Files,
  settings: (port: number) => ReadonlyArray<string>,
  options: Options
): Promise<PostgresServer> => {
  const port = await freePort()
  const { end, pid, start } = makeProcess(bin, folder, settings(port))
  const url = `postgres://${USER}:${PASSWORD}@${HOST}:${port}/postgres`
  await start()
  const standby = async (): Promise<Standby> => {
    await end("SIGINT")
    const files = makeFolder()
    copyFiles(join(folder, "data"), files.folder)
    await start()
    const source = `primary_conninfo=host=${HOST} port=${port} user=${USER} password=${PASSWORD}`
    const server = await run(
      files,
      (own) => [...settingsOf(options, own, files.folder), "-c", source],
      options
    )
    return { ...server, promote: async () => void await query("SELECT pg_promote(true)", server.url) }
  }
  return {
    url,
    database: (copyOf) => makeDatabase(url, copyOf),
    query: (sql, of = url) => query(sql, of),
    stop: () => end("SIGINT"),
    kill: () => end("SIGKILL"),
    start,
    pid,
    standby,
    show: showIn(folder),
    close: async () => {
      await end("SIGQUIT")
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

/** Starts one. Throws when there is none to start: ask `isAvailable` first. */
export const startPostgres = async (options: Options = {}): Promise<PostgresServer> => {
  const files = makeFolder()
  const { bin, folder } = files
  initialise(bin, folder)
  if (options.tls !== undefined) prepareTls(options.tls, folder)
  return run(files, (port) => settingsOf(options, port, folder), options)
}
