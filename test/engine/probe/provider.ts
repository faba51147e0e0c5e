/**
 * A provider that writes down how the engine calls it, and misbehaves on request: the environment variable `PROBE`
 * holds orders such as `fail create a; partial update b; hang delete c; gone d`.
 */
import { appendFileSync, existsSync, readFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"

type Values = Readonly<Record<string, unknown>>

const FILE = process.env["PROBE_LOG"] ?? ""
const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
/** ms between two polls of a call that waits for another one. */
const LOOK_EVERY = 20

const written = (): string => existsSync(FILE) ? readFileSync(FILE, "utf8") : ""
const write = (line: string): void => appendFileSync(FILE, `${line}\n`)

/** Only what the program gave: `value=1`. */
const brief = (values: Values): string =>
  Object.keys(values).filter((name) => !name.startsWith("__") && !["name", "replaceOn"].includes(name)).toSorted()
    .map((name) => `${name}=${values[name] === UNKNOWN ? "?" : JSON.stringify(values[name])}`).join(" ") || "nothing"

const ordered = (what: string): boolean =>
  (process.env["PROBE"] ?? "").split(";").some((order) => order.trim() === what)

const obey = async (method: string, values: Values, id?: string): Promise<void> => {
  const call = `${method} ${String(values["name"])}`
  const [, other = ""] = new RegExp(`after ([^;]+) ${call}(;|$)`).exec(process.env["PROBE"] ?? "") ?? []
  while (!written().includes(other)) await sleep(LOOK_EVERY)
  if (ordered(`hang ${call}`)) {
    write(`hangs ${call}`)
    await new Promise(() => setInterval(() => undefined, 1_000))
  }
  if (ordered(`fail ${call}`)) throw new Error(`told to fail: ${call}`)
  if (ordered(`partial ${call}`)) {
    throw Object.assign(new Error("partial"), { id, properties: values, reasons: [`told to be partial: ${call}`] })
  }
}

const differing = (olds: Values, news: Values): ReadonlyArray<string> =>
  Object.keys(news).filter((name) =>
    !name.startsWith("__") && name !== "replaceOn" && news[name] !== UNKNOWN
    && JSON.stringify(olds[name]) !== JSON.stringify(news[name])
  )

export const provider = {
  configure: () => undefined,
  check: async (olds: Values, news: Values) => {
    write(`check ${String(news["name"])}: ${brief(olds)} -> ${brief(news)}`)
    if (ordered(`refuse ${String(news["name"])}`)) {
      return { inputs: news, failures: [{ property: "", reason: "told to" }] }
    }
    await obey("check", news)
    return { inputs: news }
  },
  diff: async (id: string, olds: Values, news: Values) => {
    write(`diff ${id}: ${brief(olds)} -> ${brief(news)}`)
    await obey("diff", news)
    const changed = differing(olds, news)
    const replaceOn = String(news["replaceOn"]).split(",")
    return { changes: changed.length > 0, replaces: changed.filter((name) => replaceOn.includes(name)) }
  },
  create: async (news: Values) => {
    const name = String(news["name"])
    const id = `${name}-${written().split("\n").filter((line) => line.startsWith(`create ${name}:`)).length + 1}`
    write(`create ${name}: ${brief(news)}`)
    await obey("create", news, id)
    return { id, outs: news }
  },
  read: async (id: string, values: Values) => {
    write(`read ${id}`)
    await obey("read", values)
    return ordered(`gone ${String(values["name"])}`) ? {} : { id, props: values, inputs: values }
  },
  update: async (id: string, olds: Values, news: Values) => {
    write(`update ${id}: ${brief(olds)} -> ${brief(news)}`)
    await obey("update", news, id)
    return { outs: news }
  },
  delete: async (id: string, values: Values) => {
    write(`delete ${id}`)
    await obey("delete", values)
  }
}
