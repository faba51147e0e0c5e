/** The provider in the test's process on a host of another style: its clock moves by what the provider waits. */
import { type Api, connect } from "#provider/api/Api"
import { readSettings } from "#provider/Config"
import type { Host } from "#provider/engine/Host"
import type { SettingName } from "#provider/HostWords"
import { Session } from "#provider/session/Session"
import { AnyHost } from "./AnyHost.ts"
import type { Machine } from "./Machines.ts"
import type { StyleName } from "./Styles.ts"

/** ms; as the deployment of a real host takes. */
const DEPLOY_TIME = 60_000
/** ms; longer than the first polls. */
const WORK_TIME = 5_000

export class AnyEnvironment {
  readonly host: AnyHost
  readonly lines: Array<string> = []
  readonly calls: Array<string> = []
  readonly #time: { now: number }
  /** The next answer to this call is lost; the host has done it. */
  loseNext: keyof Api | undefined

  private constructor(host: AnyHost, time: { now: number }) {
    this.host = host
    this.#time = time
    host.machines.deployMs = DEPLOY_TIME
    host.machines.workMs = WORK_TIME
  }

  static async start(style: StyleName): Promise<AnyEnvironment> {
    const time = { now: Date.UTC(2026, 2, 1) }
    return new AnyEnvironment(await AnyHost.start(style, () => time.now), time)
  }

  close(): Promise<void> {
    return this.host.close()
  }

  /** A new process of the provider. */
  session(settings: Partial<Record<SettingName, string>> = {}, apiKey = this.host.apiKey): Session {
    const environment = { VPS_API_KEY: apiKey, VPS_BASE_URL: this.host.url }
    const read = readSettings((name) => settings[name], { environment })
    const state = { source: "stack prod", held: [], pending: [] }
    return new Session(this.#noted(connect(read)), read, this.#process, {
      read: () => Promise.resolve(state),
      updatedSince: () => Promise.resolve([])
    })
  }

  #noted(api: Api): Api {
    const noted = Object.entries(api).map(([name, call]) => [name, async (...args: ReadonlyArray<never>) => {
      this.calls.push(name)
      const answer = await (call as (...args: ReadonlyArray<never>) => Promise<unknown>)(...args)
      if (this.loseNext !== name) return answer
      this.loseNext = undefined
      throw Object.assign(new Error("socket hang up; the response was lost"), { _tag: "ConnectionError" })
    }])
    return Object.fromEntries(noted) as Api
  }

  readonly #process: Host = {
    info: (message) => void this.lines.push(message),
    warn: (message) => void this.lines.push(message),
    progress: () => {},
    now: () => this.#time.now,
    sleep: (ms) => {
      this.#time.now += ms
      return Promise.resolve()
    },
    checkpoint: () => Promise.resolve()
  }

  advance(ms: number): void {
    this.#time.now += ms
  }

  /** The only instance. */
  get machine(): Machine {
    const [only, ...others] = this.host.machines.all.values()
    if (only === undefined || others.length > 0) throw new Error(`there are ${this.host.machines.all.size} instances`)
    return this.host.machines.find(this.host.machines.accounts[0]!, only.id)
  }

  get wallet(): number {
    return this.host.machines.accounts[0]!.cents
  }

  /** The operations that the host has begun, without the deployment. */
  get deeds(): ReadonlyArray<string> {
    return this.host.machines.deeds.map(({ operation }) => operation).filter((one) => one !== "deploy")
  }

  said(text: string): boolean {
    return this.lines.some((line) => line.includes(text))
  }
}
