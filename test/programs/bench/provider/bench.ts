/**
 * `npm run bench -- service --works provider`: `pulumi up` of 300 instances on the emulator beside 300 resources that
 * do nothing, on the real CLI, interleaved; and how long the provider's runtime takes to load. See docs/benchmarks.md.
 */
import { execFileSync, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { readdirSync, readFileSync } from "node:fs"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { align, inTurn, paired, sayRound, spread } from "../report.ts"
import { BenchProject, type Contender, CONTENDERS, RESOURCES } from "./stacks.ts"

const SERVICE = fileURLToPath(new URL("../../../../service/dist/bin.js", import.meta.url))
const PLUGIN = fileURLToPath(new URL("../../../../provider/plugin/pulumi-resource-vps", import.meta.url))
const RUNTIME = new URL("../../../../provider/dist/runtime.js", import.meta.url).href

/** ms between two reads of the provider's memory: the system records the peak, so none is missed. */
const LOOK_EVERY = 50
/** EUR; enough for the instances of one run. */
const WALLET = 10_000

export interface Upped {
  readonly system: string
  readonly round: number
  /** Wall time of `pulumi up`. */
  readonly millis: number
  /** Peak resident memory of the provider process, in megabytes. */
  readonly rss: number
}

interface Emulator {
  readonly url: string
  readonly key: string
  readonly control: (method: "POST" | "PUT", path: string, body?: object) => Promise<void>
  readonly end: () => void
}

const startEmulator = async (): Promise<Emulator> => {
  const child = spawn(process.execPath, [SERVICE, "--emulator", "--port", "0", "--request-log=false"], {
    stdio: ["ignore", "pipe", "inherit"]
  })
  const [line] = await once(createInterface({ input: child.stdout }), "line") as [string]
  child.stdout.resume()
  const { api_key: key, url } = JSON.parse(line) as { api_key: string; url: string }
  return {
    url,
    key,
    control: async (method, path, body = {}) => {
      const init: RequestInit = { method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) }
      const response = await fetch(new URL(`/_emulator/${path}`, url), init)
      if (!response.ok) throw new Error(`/_emulator/${path}: ${response.status}`)
    },
    end: () => void child.kill("SIGTERM")
  }
}

/** Megabytes; the most that any provider below this process has held so far. */
const providerPeak = (pid: number): number => {
  const below = (parent: number): Array<number> => {
    try {
      const children = readdirSync(`/proc/${parent}/task`).flatMap((thread) =>
        readFileSync(`/proc/${parent}/task/${thread}/children`, "utf8").split(" ").filter(Boolean).map(Number)
      )
      return children.flatMap((child) => [child, ...below(child)])
    } catch { // it ended meanwhile
      return []
    }
  }
  const peaks = below(pid).map((one) => {
    try {
      const [, program = ""] = readFileSync(`/proc/${one}/cmdline`, "utf8").split("\0")
      const isProvider = /dynamic-provider|pulumi-resource-(?:vps|noop)/.test(program)
      const [, kilobytes] = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${one}/status`, "utf8")) ?? []
      return isProvider ? Number(kilobytes ?? 0) / 1024 : 0
    } catch { // likewise
      return 0
    }
  })
  return Math.max(0, ...peaks)
}

const measure = async (
  contender: Contender,
  round: number,
  emulator: Emulator,
  flags: ReadonlyArray<string>
): Promise<Upped> => {
  await emulator.control("POST", "reset")
  await emulator.control("PUT", "deploy", { mode: "instant" })
  await emulator.control("POST", "wallet", { amount: WALLET })
  const project = new BenchProject(contender)
  try {
    const env = project.environment({ VPS_API_KEY: emulator.key, VPS_BASE_URL: emulator.url })
    execFileSync("pulumi", ["stack", "init", "test", "--non-interactive"], {
      cwd: project.folder,
      env,
      stdio: "ignore"
    })
    const began = performance.now()
    const child = spawn("pulumi", ["up", "--yes", ...flags, "--non-interactive", "--stack", "test"], {
      cwd: project.folder,
      env,
      stdio: ["ignore", "pipe", "inherit"]
    })
    let output = ""
    child.stdout.on("data", (chunk) => output += String(chunk))
    let rss = 0
    const looking = setInterval(() => rss = Math.max(rss, providerPeak(child.pid!)), LOOK_EVERY)
    const [code] = await once(child, "exit")
    const millis = performance.now() - began
    clearInterval(looking)
    // The stack itself is one more.
    if (code !== 0 || !output.includes(`+ ${RESOURCES + 1} created`)) throw new Error(`${contender.name}: ${output}`)
    return { system: contender.name, round, millis, rss }
  } finally {
    project.dispose()
  }
}

/** Milliseconds of the import in a fresh process: on a busy computer the second figure is the one to trust. */
interface Load {
  readonly wall: number
  readonly cpu: number
}

const loadRuntime = (): Load => {
  const text = `const began = performance.now(), before = process.cpuUsage()
    await import(${JSON.stringify(RUNTIME)})
    const { user, system } = process.cpuUsage(before)
    console.log(JSON.stringify({ wall: performance.now() - began, cpu: (user + system) / 1000 }))`
  return JSON.parse(execFileSync(process.execPath, ["--input-type=module", "-e", text], { encoding: "utf8" })) as Load
}

/** Milliseconds from the start of the plugin to the port that it prints: the engine waits for it in every phase. */
const startPlugin = async (): Promise<number> => {
  const began = performance.now()
  const child = spawn(PLUGIN, [], { stdio: ["ignore", "pipe", "inherit"] })
  await once(child.stdout, "data")
  const millis = performance.now() - began
  const ended = once(child, "exit")
  child.kill("SIGINT")
  await ended
  return millis
}

export interface Outcome {
  readonly text: string
  readonly ups: ReadonlyArray<Upped>
  readonly loads: ReadonlyArray<Load>
  /** Milliseconds until the plugin has printed its port. */
  readonly starts: ReadonlyArray<number>
}

interface Options {
  readonly rounds: number
  /** Additional flags of `pulumi up`. */
  readonly flags: ReadonlyArray<string>
}

/** Each round runs all contenders, every other round backwards; undefined without `pulumi`. */
export const benchProvider = async ({ flags, rounds }: Options): Promise<Outcome | undefined> => {
  if (spawnSync("pulumi", ["version"], { stdio: "ignore" }).status !== 0) return undefined
  const emulator = await startEmulator()
  const ups: Array<Upped> = []
  const loads: Array<Load> = []
  const starts: Array<number> = []
  try {
    for (let round = 0; round < rounds; round++) {
      loads.push(loadRuntime())
      starts.push(await startPlugin())
      for (const one of inTurn(CONTENDERS, round)) {
        ups.push(await measure(one, round, emulator, flags))
      }
      sayRound(round, rounds)
    }
  } finally {
    emulator.end()
  }
  const title = ["pulumi up", ...flags].join(" ")
  return { text: report(`${title}, ${RESOURCES} new resources`, { ups, loads, starts }), ups, loads, starts }
}

const report = (title: string, { loads, starts, ups }: Omit<Outcome, "text">): string => {
  const names = CONTENDERS.map(({ name }) => name)
  const row = (name: string): Array<string> => {
    const own = ups.filter(({ system }) => system === name)
    return [name, spread(own.map(({ millis }) => millis), 0), spread(own.map(({ rss }) => rss), 0)]
  }
  const ratio = ({ beside, name }: Contender): Array<Array<string>> =>
    beside === undefined ? [] : [[
      `${name} : ${beside}`,
      spread(paired(ups, [name, beside], ({ millis }) => millis), 2),
      spread(paired(ups, [name, beside], ({ rss }) => rss), 2)
    ]]
  const table = align([
    [title, "ms", "provider's peak RSS MB"],
    ...names.map(row),
    ...CONTENDERS.flatMap(ratio)
  ])
  const [wall, cpu] = [loads.map((load) => load.wall), loads.map((load) => load.cpu)]
  return `${table}\n\nthe runtime loads in ${spread(wall, 0)} ms, ${spread(cpu, 0)} ms of CPU time`
    + `\nthe plugin prints its port after ${spread(starts, 0)} ms`
}
