/**
 * `npm run bench -- sdk`: compares the cost of an SDK call with bare undici and other vendors' SDKs.
 *
 *   npm run bench -- sdk [--rounds 5] [--calls 5000] [--concurrency 16] [--without-vendors] [--json FILE]
 */
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { cpus, loadavg } from "node:os"
import { dirname, join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { align, median, spread } from "../report.ts"
import { CLIENTS, FLOOR, OURS, VENDORS } from "./clients.ts"
import { closure, countFiles, type Import, importOnce } from "./size.ts"

const { values } = parseArgs({
  options: {
    "rounds": { type: "string", default: "5" },
    "calls": { type: "string", default: "5000" },
    "concurrency": { type: "string", default: "16" },
    "without-vendors": { type: "boolean", default: false },
    "json": { type: "string" }
  }
})

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const say = (text: string) => process.stderr.write(`${text}\n`)

/** The targets: multiples of bare undici and of another vendor's SDK, and milliseconds. */
const MOST_OF_FLOOR = 2.6
const MOST_OF_VENDOR = 0.5
const MOST_IMPORT_MILLIS = 150

interface Sample {
  readonly client: string
  readonly round: number
  /** Microseconds of CPU per call, user and system. */
  readonly cpu: number
  /** Milliseconds from the import to the first response. */
  readonly first: number
}

/** Installs the other SDKs once, beside the other files of the benchmark: they are not dependencies. */
const installVendors = (): string => {
  const folder = file("../../../.bench/vendors")
  if (!VENDORS.every((vendor) => existsSync(join(folder, "node_modules", vendor.replace(/@[^@]+$/, ""))))) {
    say(`installing ${VENDORS.join(", ")} from the registry into ${folder}`)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, "package.json"), "{ \"private\": true }\n")
    const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--save-exact"]
    execFileSync("npm", ["install", ...flags, ...VENDORS], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] })
  }
  return join(folder, "package.json")
}

const startServer = async () => {
  const child = spawn(process.execPath, [file("server.ts")], { stdio: ["ignore", "pipe", "inherit"] })
  for await (const port of createInterface({ input: child.stdout })) {
    return { origin: `http://127.0.0.1:${port}`, stop: () => child.kill() && once(child, "exit") }
  }
  throw new Error("The benchmark server did not start")
}

const measure = (client: string, round: number, origin: string, vendors: string): Sample => {
  const args = [file("measure.ts"), client, origin, vendors, values.concurrency, values.calls]
  const output = execFileSync(process.execPath, args, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] })
  return { client, round, ...JSON.parse(output) as { cpu: number; first: number } }
}

/** The ratio per round: a disturbance in a round affects both. */
const ratio = (samples: ReadonlyArray<Sample>, one: string, other: string): ReadonlyArray<number> =>
  samples.filter(({ client }) => client === one).map(({ cpu, round }) =>
    cpu / samples.find((sample) => sample.client === other && sample.round === round)!.cpu
  )

const verdict = (what: string, value: number, most: number, unit: string): string =>
  `${value <= most ? "met   " : "MISSED"} ${what}: ${value.toFixed(2)}${unit}, at most ${most}${unit}`

const table = (names: ReadonlyArray<string>, samples: ReadonlyArray<Sample>): string => {
  const rows = names.map((name) => {
    const own = samples.filter(({ client }) => client === name)
    return [
      name,
      spread(own.map(({ cpu }) => cpu), 1),
      spread(ratio(samples, name, FLOOR), 2),
      spread(own.map(({ first }) => first), 0)
    ]
  })
  return align([["client", "CPU us/GET", "times bare undici", "ms import to first response"], ...rows])
}

const verdicts = (names: ReadonlyArray<string>, samples: ReadonlyArray<Sample>, imports: ReadonlyArray<Import>) => [
  verdict("CPU beside bare undici", median(ratio(samples, OURS, FLOOR)), MOST_OF_FLOOR, "x"),
  ...names.filter((name) => CLIENTS[name]!.isVendor).map((name) =>
    verdict(`CPU beside ${name}`, median(ratio(samples, OURS, name)), MOST_OF_VENDOR, "x")
  ),
  verdict("importing pulumi-vps", Math.min(...imports.map(({ millis }) => millis)), MOST_IMPORT_MILLIS, " ms")
]

const names = Object.keys(CLIENTS).filter((name) => !(values["without-vendors"] && CLIENTS[name]!.isVendor))
const vendors = values["without-vendors"] ? "" : installVendors()
const server = await startServer()
const samples: Array<Sample> = []
const imports: Array<Import> = []
try {
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      samples.push(measure(name, round, server.origin, vendors))
    }
    imports.push(importOnce())
    say(`round ${round + 1} of ${values.rounds}, load average ${loadavg()[0]!.toFixed(1)}`)
  }
} finally {
  await server.stop()
}

const size = await closure()
const kilobytes = (bytes: number) => `${(bytes / 1024).toFixed(0)} KB`
process.stdout.write(`\n${table(names, samples)}\n\n${verdicts(names, samples, imports).join("\n")}\n\n`)
process.stdout.write(
  `import pulumi-vps: ${spread(imports.map(({ millis }) => millis), 0)} ms, `
    + `CPU ${spread(imports.map(({ cpu }) => cpu), 0)} ms, ${countFiles()} files; without undici, bundled `
    + `${kilobytes(size.bytes)}, minified ${kilobytes(size.minified)}, gzipped ${kilobytes(size.gzipped)}\n`
)
const json = values.json ?? file("../../../.bench/sdk.json")
mkdirSync(dirname(json), { recursive: true })
const machine = { cpus: cpus().length, model: cpus()[0]?.model, node: process.version }
writeFileSync(json, `${JSON.stringify({ machine, vendors: VENDORS, samples, imports, size }, undefined, 2)}\n`)
say(`written to ${json}`)
