/** Packs the package: the files that package.json lists, with a manifest without what only the repository uses. */
import { spawnSync } from "node:child_process"
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { manifestFields, readRepository } from "./repository.ts"

/** npm warns users about the scripts of a package, and they need software that users do not have. */
const OF_THE_REPOSITORY = new Set(["scripts", "devDependencies", "allowScripts"])

export interface Packed {
  readonly path: string
  /** Relative to the package's root. */
  readonly files: ReadonlyArray<string>
  /** In bytes, once installed. */
  readonly size: number
}

interface Report {
  readonly filename: string
  readonly files: ReadonlyArray<{ readonly path: string }>
  readonly unpackedSize: number
}

/** The package.json in the tarball. */
const publishedManifest = (root: string, text: string): string => {
  const manifest = Object.entries(JSON.parse(text) as object).filter(([name]) => !OF_THE_REPOSITORY.has(name))
  const all = { ...Object.fromEntries(manifest), ...manifestFields(readRepository(root)) }
  return `${JSON.stringify(all, null, 2)}\n`
}

/** Writes the tarball of a built tree into a folder. Two packs of one tree are equal. */
export const pack = (root: string, destination: string): Packed => {
  const staging = mkdtempSync(join(tmpdir(), "pulumi-vps-pack-"))
  try {
    const text = readFileSync(join(root, "package.json"), "utf8")
    const { files } = JSON.parse(text) as { readonly files: ReadonlyArray<string> }
    for (const entry of files.filter((one) => !one.startsWith("!"))) {
      if (!existsSync(join(root, entry))) throw new Error(`${entry} is missing. Run npm run build first.`)
      cpSync(join(root, entry), join(staging, entry), { recursive: true })
    }
    writeFileSync(join(staging, "package.json"), publishedManifest(root, text))
    const args = ["pack", "--json", "--pack-destination", destination]
    const { status, stderr, stdout } = spawnSync("npm", args, { cwd: staging, encoding: "utf8" })
    if (status !== 0) throw new Error(`npm ${args.join(" ")}: ${stderr}`)
    const [report] = JSON.parse(stdout) as [Report]
    return {
      path: join(destination, report.filename),
      size: report.unpackedSize,
      files: report.files.map(({ path }) => path)
    }
  } finally {
    rmSync(staging, { recursive: true, force: true })
  }
}
