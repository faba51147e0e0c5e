/** Starts the service in this process, as an emulator. */
import { type CommandName, type Embedded, type InputOf, launch, type ResultOf } from "#service/Embedded"
import type { ValidationIssue } from "../client/errors/ApiErrors.ts"
import type { ClientOptions } from "../client/options/Options.ts"
import { Vps } from "../index.ts"
import { type Ask, type Controls, controls } from "./Controls.ts"
import { EmulatorError } from "./EmulatorError.ts"
import type { EmulatorOptions } from "./Options.ts"

/** An emulator that runs, with its controls. */
export interface RunningEmulator extends Controls, AsyncDisposable {
  /** For `baseUrl` and `VPS_BASE_URL`: `http://127.0.0.1:<port>/api/v1`. */
  readonly url: string
  /** For `apiKey` and `VPS_API_KEY`: a key of account 1 with scope `vps:create`, the same for every emulator. */
  readonly apiKey: string
  /** A client of account 1; options win over that. */
  readonly client: (options?: ClientOptions) => Vps
  /**
   * Runs a command of `vps-service admin` for what customers cannot do: suspend an instance, withdraw a plan, hand out
   * a coupon, approve a deployment.
   * @example await emulator.admin("instances.suspend", { id: 1, reason: "abuse" })
   */
  readonly admin: <Name extends CommandName>(command: Name, input: InputOf<Name>) => Promise<ResultOf<Name>>
  /** Stops it, cuts off requests under way and forgets everything. May be called again. */
  readonly stop: () => Promise<void>
}

/** What a control says when it refuses: a sentence, or what is wrong with each field. */
interface Problem {
  readonly detail: string | ReadonlyArray<ValidationIssue>
}

const refusal = (status: number, { detail }: Problem): EmulatorError => {
  if (typeof detail === "string") return new EmulatorError(detail, status)
  const lines = detail.map(({ loc, msg }) => `${loc.slice(1).join(".") || loc.join(".")}: ${msg}`)
  return new EmulatorError(lines.join("\n"), status, detail)
}

const running = (embedded: Embedded): RunningEmulator => {
  let stopped = false
  const whileRunning = async <T>(work: () => Promise<T>): Promise<T> => {
    if (stopped) throw new EmulatorError("The emulator was stopped.")
    return work()
  }
  const ask: Ask = <T>(method: string, path: string, body?: unknown) =>
    whileRunning(async () => {
      const answer = await embedded.control(method, path, body)
      if (answer.status >= 400) throw refusal(answer.status, answer.body as Problem)
      // The service is the one that these types were written for.
      return answer.body as T
    })
  const stop = () => {
    stopped = true
    return embedded.stop()
  }
  return {
    url: embedded.url,
    apiKey: embedded.apiKey,
    ...controls(ask),
    client: (options) => new Vps({ baseUrl: embedded.url, apiKey: embedded.apiKey, ...options }),
    admin: <Name extends CommandName>(command: Name, input: InputOf<Name>) =>
      whileRunning(async () => {
        const answer = await embedded.command(command, input)
        if ("refused" in answer) throw new EmulatorError(answer.refused)
        return answer.result as ResultOf<Name>
      }),
    stop,
    [Symbol.asyncDispose]: stop
  }
}

/**
 * Starts the real service in this process on 127.0.0.1, over an empty database in memory, with simulated machines, play
 * money and the seed: account 1 with 1000.00 EUR, the plans `vps-s`, `vps-m`, `vps-l` and more. Takes some 40 ms.
 * Several do not know of each other. It prints nothing, handles no signals, and leaves nothing open once it is stopped.
 *
 * Rejects with `EmulatorError` when the seed makes no sense or the port is taken.
 *
 * @example
 * await using emulator = await startEmulator({ seed: { wallet: 20, deploy: { mode: "instant" } } })
 * const instance = await emulator.client().instances.createAndWait({ service_id: 1 })
 * await emulator.clock.advance("31 days")
 * expect((await emulator.wallet.statement()).balance).toBe(10.02)
 */
export const startEmulator = async (options: EmulatorOptions = {}): Promise<RunningEmulator> => {
  const { log, port = 0, rateLimits = false, seed = {}, strictIdempotency = false } = options
  const embedded = await launch({ log, port, rateLimits, seed, strictIdempotency })
  if ("refused" in embedded) throw new EmulatorError(embedded.refused)
  return running(embedded)
}
