/// <reference lib="esnext.disposable" preserve="true" />
/** Starts the service in this process as an emulator. */
import { type Embedded, launch } from "@pulumi-vps/service/Embedded"
import type { ValidationIssue } from "@pulumi-vps/sdk"
import type { ClientOptions } from "@pulumi-vps/sdk"
import { Vps } from "@pulumi-vps/sdk"
import { type Controls, controls, type SendControl } from "./Controls.ts"
import { EmulatorError } from "./EmulatorError.ts"
import type { CommandName, InputOf, ResultOf } from "./OperatorCommands.ts"
import type { EmulatorOptions } from "./Types.ts"

/** A running emulator with its controls. */
export interface RunningEmulator extends Controls, AsyncDisposable {
  /** The value for `baseUrl` and `VPS_BASE_URL`: `http://127.0.0.1:<port>/api/v1`. */
  readonly url: string
  /** The value for `apiKey` and `VPS_API_KEY`: a key of account 1 with scope `vps:create`, the same everywhere. */
  readonly apiKey: string
  /** Creates a client of account 1. The options override its settings. */
  readonly client: (options?: ClientOptions) => Vps
  /**
   * Runs a command of `vps-service admin`, such as suspending an instance, withdrawing a plan, creating a coupon, or
   * approving a deployment.
   * @example await emulator.admin("instances.suspend", { id: 1, reason: "abuse" })
   */
  readonly admin: <Name extends CommandName>(command: Name, input: InputOf<Name>) => Promise<ResultOf<Name>>
  /** Stops the emulator, aborts running requests, and discards all data. May be called again. */
  readonly stop: () => Promise<void>
}

/** The error response of a control: a sentence, or the validation errors per field. */
interface ErrorBody {
  readonly detail: string | ReadonlyArray<ValidationIssue>
}

const controlError = (status: number, { detail }: ErrorBody): EmulatorError => {
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
  const send: SendControl = <T>(method: string, path: string, body?: unknown) =>
    whileRunning(async () => {
      const response = await embedded.control(method, path, body)
      if (response.status >= 400) throw controlError(response.status, response.body as ErrorBody)
      // The types match the service, which is part of this package.
      return response.body as T
    })
  const stop = () => {
    stopped = true
    return embedded.stop()
  }
  return {
    url: embedded.url,
    apiKey: embedded.apiKey,
    ...controls(send),
    client: (options) => new Vps({ baseUrl: embedded.url, apiKey: embedded.apiKey, ...options }),
    admin: <Name extends CommandName>(command: Name, input: InputOf<Name>) =>
      whileRunning(async () => {
        const result = await embedded.command(command, input)
        if ("refused" in result) throw new EmulatorError(result.refused)
        return result.result as ResultOf<Name>
      }),
    stop,
    [Symbol.asyncDispose]: stop
  }
}

/**
 * Starts the real service in this process on 127.0.0.1 with an in-memory database, simulated instances, play money, and
 * the seed: account 1 with 1000.00 EUR, the plans `vps-s`, `vps-m`, `vps-l`, and more. Takes about 40 ms. Emulators are
 * independent of each other. They print nothing, handle no signals, and leave nothing open after `stop()`.
 *
 * Rejects with `EmulatorError` when the seed is invalid or the port is in use.
 *
 * @example
 * const emulator = await startEmulator({ seed: { wallet: 20, deploy: { mode: "instant" } } })
 * const instance = await emulator.client().instances.createAndWait({ service_id: 1 })
 * await emulator.clock.advance("31 days")
 * expect((await emulator.wallet.statement()).balance).toBe(10.02)
 * await emulator.stop()
 */
export const startEmulator = async (options: EmulatorOptions = {}): Promise<RunningEmulator> => {
  const { log, port = 0, rateLimits = false, seed = {}, strictIdempotency = false } = options
  const embedded = await launch({ log, port, rateLimits, seed, strictIdempotency })
  if ("refused" in embedded) throw new EmulatorError(embedded.refused)
  return running(embedded)
}
