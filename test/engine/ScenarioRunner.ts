/** Where the scenarios of a test file play: as many at a time as there are processors, on services that are reused. */
import { availableParallelism } from "node:os"
import { type ServiceProcess, startService } from "../support/serviceProcess.ts"
import { Semaphore } from "./Semaphore.ts"
import { Proxy } from "./Proxy.ts"
import type { Stack } from "./Stack.ts"
import { Environment } from "./Environment.ts"

type Play<A> = (env: Environment) => Promise<A>
export type Make = (environment: Readonly<Record<string, string>>) => Promise<Stack>

export class ScenarioRunner {
  readonly #make: Make
  readonly #startService: () => Promise<ServiceProcess>
  readonly #gate = new Semaphore(availableParallelism())
  readonly #free: Array<ServiceProcess> = []
  readonly #all: Array<ServiceProcess> = []

  /** `start` makes the services: emulators by default. */
  constructor(make: Make, start: () => Promise<ServiceProcess> = () => startService("--emulator")) {
    this.#make = make
    this.#startService = start
  }

  /** A service as new and a new stack for this scenario, when it is its turn. */
  play<A>(scenario: Play<A>): Promise<A> {
    return this.#gate.pass(async () => {
      const service = this.#free.pop() ?? await this.#start()
      try {
        return await this.#perform(service, scenario)
      } finally {
        this.#free.push(service)
      }
    })
  }

  async close(): Promise<void> {
    await Promise.all(this.#all.map((service) => service.end()))
  }

  async #start(): Promise<ServiceProcess> {
    const service = await this.#startService()
    this.#all.push(service)
    return service
  }

  async #perform<A>(service: ServiceProcess, scenario: Play<A>): Promise<A> {
    const cleanups: Array<() => Promise<unknown>> = []
    try {
      const proxy = await Proxy.start(service.origin)
      cleanups.push(() => proxy.close())
      const stack = await this.#make({ VPS_API_KEY: service.apiKey, VPS_BASE_URL: proxy.baseUrl })
      cleanups.push(() => stack.dispose())
      const env = new Environment(stack, service, proxy)
      await env.control("POST", "reset")
      await env.control("PUT", "deploy", { mode: "after_ms", value: 100 })
      const result = await scenario(env)
      await env.settle()
      return result
    } finally {
      for (const cleanup of cleanups.toReversed()) await cleanup()
    }
  }
}
