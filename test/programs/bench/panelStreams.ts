/**
 * The cost of open pages while nothing happens, each of a person with an account of their own: CPU and memory of
 * the service beside those of a second one, which does the same work before and has no open page.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { get } from "node:http"
import { createInterface } from "node:readline"
import { setTimeout } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { cpuSeconds, megabytes } from "./Process.ts"
import { median } from "./report.ts"

const BIN = fileURLToPath(new URL("../../../service/dist/bin.js", import.meta.url))

export interface Pages {
  readonly pages: number
  readonly rounds: number
  /** A heartbeat of each page comes every 15 s. */
  readonly roundSeconds: number
}

const USUAL: Pages = { pages: 200, rounds: 4, roundSeconds: 30 }

interface Service {
  readonly child: ChildProcess
  readonly pid: number
  readonly origin: string
  /** Cookies of as many people. */
  readonly people: ReadonlyArray<Person>
}

interface Person {
  readonly cookie: string
  readonly account: number
}

const post = async (origin: string, path: string, cookie: string, body: object) => {
  const response = await fetch(`${origin}/panel/api${path}`, {
    method: "POST",
    headers: { origin, "sec-fetch-site": "same-origin", "content-type": "application/json", cookie },
    body: JSON.stringify(body)
  })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return { cookie: response.headers.get("set-cookie")?.split(";")[0] ?? cookie, body: await response.json() }
}

const signIn = (origin: string, link: string, path = "/sign-in/link") =>
  post(origin, path, "", { token: link.split("#")[1]! }).then(({ cookie }) => cookie)

const makePerson = async (origin: string, operator: string, index: number): Promise<Person> => {
  const command = (name: string, body: object) =>
    post(origin, `/operator/commands/${name}`, operator, body).then(({ body }) => body as Record<string, unknown>)
  const email = `person-${index}@example.test`
  const { id } = await command("accounts.create", { email, currency: "EUR", vat_treatment: "domestic" })
  const { link } = await command("people.invite", { email, role: "customer", account_id: id })
  return { account: Number(id), cookie: await signIn(origin, String(link), "/sign-in/invitation/accept") }
}

const start = async (pages: number): Promise<Service> => {
  const child = spawn(process.execPath, [BIN, "--emulator", "--port", "0", "--request-log=false"], {
    stdio: ["ignore", "pipe", "ignore"]
  })
  const [line] = await once(createInterface({ input: child.stdout }), "line") as [string]
  const { sign_in: { operator: link } } = JSON.parse(line) as { readonly sign_in: { readonly operator: string } }
  const { origin } = new URL(link)
  const operator = await signIn(origin, link)
  const people: Array<Person> = []
  for (let index = 0; index < pages; index++) people.push(await makePerson(origin, operator, index))
  return { child, pid: child.pid!, origin, people }
}

/** Opens the stream of a page; resolves with its first bytes. */
const openPage = (origin: string, { account, cookie }: Person): Promise<void> =>
  new Promise((resolve, reject) => {
    get(`${origin}/panel/api/accounts/${account}/events`, { agent: false, headers: { cookie } }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`a stream answered ${response.statusCode}`))
      response.on("data", () => resolve())
      // The service is killed at the end.
      response.on("error", () => undefined)
    }).on("error", reject)
  })

export const measureStreams = async ({ pages, roundSeconds, rounds } = USUAL): Promise<void> => {
  const services = [await start(pages), await start(pages)] as const
  try {
    const [open, none] = services
    for (const person of open.people) await openPage(open.origin, person)
    const shares: Array<number> = []
    for (let round = 0; round < rounds; round++) {
      const before = services.map(({ pid }) => cpuSeconds(pid))
      const began = performance.now()
      await setTimeout(roundSeconds * 1_000)
      const seconds = (performance.now() - began) / 1_000
      const [used, idle] = services.map(({ pid }, index) => (cpuSeconds(pid) - before[index]!) / seconds * 100)
      console.log(
        `round ${round + 1}: ${used!.toFixed(2)} % of a core with ${pages} pages, ${idle!.toFixed(2)} % without`
      )
      shares.push(used! - idle!)
    }
    const [with_, without] = [megabytes(open.pid), megabytes(none.pid)]
    console.log(
      `${pages} open pages, idle: median ${median(shares).toFixed(2)} % of a core more of ${rounds} rounds; memory `
        + `${with_.toFixed(1)} MB, ${without.toFixed(1)} MB without, ${(with_ - without).toFixed(1)} MB more`
    )
  } finally {
    for (const { child } of services) child.kill("SIGKILL")
  }
}
