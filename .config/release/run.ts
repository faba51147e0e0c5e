/**
 * `npm run release -- VERSION`: makes everything that a release publishes in `release/VERSION`, from a clone of HEAD,
 * and changes nothing else. CONTRIBUTING.md describes the whole procedure.
 *
 *   --publish             also pushes the commit and its tags, and uploads the packages
 *   --node TARGET=PATH    the Node.js executable for an archive, such as darwin-arm64=/path/to/node
 *   --only PART,...       some of: packages, archives, sdks
 *   --targets TARGET,...  archives for these platforms only, such as linux-amd64; not with --publish
 *   --output FOLDER       another folder than release/VERSION
 */
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { FOLDERS } from "../build/workspace.ts"
import { generate } from "../generate.ts"
import { pack } from "../pack.ts"
import { readRepository } from "../repository.ts"
import {
  checksums,
  makeArchives,
  makeSdks,
  type Program,
  pulumiPlugin,
  TARGETS,
  terraformProvider,
  writeRegistryFiles
} from "./artifacts.ts"
import { publishingSteps } from "./publish.ts"
import { readVersion, released, setVersion } from "./version.ts"

const ROOT = fileURLToPath(new URL("../..", import.meta.url))

const run = (file: string, args: ReadonlyArray<string>, cwd: string): string => {
  const { error, status, stderr, stdout } = spawnSync(file, args, { cwd, encoding: "utf8" })
  if (status !== 0) throw new Error(`${file} ${args.join(" ")}: ${error?.message ?? stdout + stderr}`)
  return stdout.trim()
}

/** The reasons why this cannot be published. A dry run shows them, and continues. */
const problemsOf = (version: string): ReadonlyArray<string> => [
  ...(run("git", ["status", "--porcelain"], ROOT) === "" ? [] : ["The tree has changes that are not committed."]),
  ...(readRepository() === undefined
    ? ["The repository is unset. Run: npm run repository -- https://github.com/OWNER/NAME"]
    : []),
  ...(run("git", ["tag", "--list", `v${version}`], ROOT) === "" ? [] : [`The tag v${version} exists.`]),
  ...(spawnSync("pulumi", ["version"]).status === 0 ? [] : ["pulumi is not installed, so there are no SDKs."])
]

/** A clone of HEAD with the new version in all its files, and the dependencies of this tree. */
const prepare = (version: string, source: string): string => {
  run("git", ["clone", "--quiet", "--local", ROOT, source], ROOT)
  // Links on the same file system, copies on another.
  const modules = [join(ROOT, "node_modules"), join(source, "node_modules")]
  if (spawnSync("cp", ["-al", ...modules]).status !== 0) run("cp", ["-a", ...modules], ROOT)
  rmSync(join(source, "node_modules/.cache"), { recursive: true, force: true })
  setVersion(source, version)
  const file = join(source, "CHANGELOG.md")
  const [changelog, notes] = released(readFileSync(file, "utf8"), version, new Date().toISOString().slice(0, 10))
  writeFileSync(file, changelog)
  generate(source, ["providerSchema", "providerReference", "releasedDocument"])
  run("npm", ["run", "-s", "build"], source)
  run("git", ["commit", "--quiet", "--all", "-m", `Release ${version}`], source)
  run("git", ["tag", `v${version}`], source)
  return notes
}

const { positionals: [version], values } = parseArgs({
  allowPositionals: true,
  options: {
    "dry-run": { type: "boolean", default: false },
    publish: { type: "boolean", default: false },
    node: { type: "string", multiple: true, default: [] },
    only: { type: "string", default: "packages,archives,sdks" },
    targets: { type: "string" },
    output: { type: "string" }
  }
})

const chosenTargets = (): ReadonlyArray<string> => {
  const chosen = values.targets?.split(",") ?? Object.keys(TARGETS)
  for (const target of chosen) {
    if (!(target in TARGETS)) throw new Error(`${target} is not one of ${Object.keys(TARGETS).join(", ")}`)
  }
  if (values.publish && values.targets !== undefined) throw new Error("A release has all platforms: omit --targets.")
  return chosen
}

const givenNodes = (): Readonly<Record<string, string>> => {
  const given = Object.fromEntries(values.node.map((one) => one.split("=", 2) as [string, string]))
  for (const [target, path] of Object.entries(given)) {
    if (!(target in TARGETS)) throw new Error(`${target} is not one of ${Object.keys(TARGETS).join(", ")}`)
    if (!existsSync(path ?? "")) throw new Error(`--node ${target}: no file at ${path}`)
  }
  return given
}

const main = (): void => {
  const target = version ?? readVersion(ROOT)
  const targets = chosenTargets()
  const parts = new Set(values.only.split(","))
  const problems = problemsOf(target)
  for (const problem of problems) console.log(`not ready: ${problem}`)
  if (values.publish && (values["dry-run"] || problems.length > 0)) throw new Error("Nothing was published.")
  const output = values.output === undefined ? join(ROOT, "release", target) : resolve(values.output)
  rmSync(output, { recursive: true, force: true })
  mkdirSync(output, { recursive: true })
  const work = mkdtempSync(join(dirname(output), ".work-"))
  try {
    const source = join(work, "source")
    const notes = prepare(target, source)
    if (parts.has("packages")) {
      for (const folder of FOLDERS) pack(folder, output, source)
      writeFileSync(join(output, "RELEASE_NOTES.md"), `${notes}\n`)
    }
    if (parts.has("archives")) {
      const node = process.version.slice(1)
      const make = (program: Program) => makeArchives({ program, node, output, targets, given: givenNodes() })
      const providers = make(terraformProvider(source, target))
      writeRegistryFiles(output, target, providers)
      for (const { hasNode, path } of [...make(pulumiPlugin(source, target)), ...providers]) {
        console.log(`${basename(path)} ${hasNode ? `contains Node.js ${node}` : "needs Node.js on PATH: see --node"}`)
      }
    }
    if (parts.has("sdks")) {
      const { skipped } = makeSdks({ root: source, version: target, repository: readRepository(), work, output })
      for (const one of skipped) console.log(`skipped: ${one}`)
    }
    writeFileSync(join(output, "SHA256SUMS"), checksums(readdirSync(output).map((name) => join(output, name))))
    console.log(`\n${readFileSync(join(output, "SHA256SUMS"), "utf8")}\nThe files are in ${output}.`)
    for (const { args, file } of publishingSteps({ source, output, version: target, repository: readRepository() })) {
      console.log(`${values.publish ? "" : "not run: "}${[file, ...args].join(" ")}`)
      if (values.publish) run(file, args, source)
    }
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

try {
  main()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
