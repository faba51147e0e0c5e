/**
 * Runs user programs as the language host does, one after the other: Pulumi's SDK is loaded once and each program gets
 * a store of its own, which is how the SDK's Automation API runs programs.
 */
import { createRequire, flushCompileCache } from "node:module"
import { pathToFileURL } from "node:url"
import { join } from "node:path"

/** The request for one run. */
export interface RunRequest {
  readonly folder: string
  readonly address: string
  readonly project: string
  readonly stack: string
  readonly preview: boolean
  readonly parallel: number
  readonly config: Record<string, string>
  readonly secretKeys: ReadonlyArray<string>
  readonly environment: Record<string, string>
}

/** The outcome of a run; can this process run another one? */
export interface RunOutcome {
  readonly well: boolean
  readonly reusable: boolean
}

const require = createRequire(import.meta.url)
const { isGrpcError, ResourceError, RunError } = require("@pulumi/pulumi/errors.js")
const log = require("@pulumi/pulumi/log/index.js")
const { setAllConfig } = require("@pulumi/pulumi/runtime/config.js")
const { disconnect, resetOptions } = require("@pulumi/pulumi/runtime/settings.js")
const { runInPulumiStack } = require("@pulumi/pulumi/runtime/stack.js")
const { withLocalStorage } = require("@pulumi/pulumi/runtime/state.js")

// Providers load the same, and are ended before they could keep what they have compiled.
await import("#provider/runtime")
flushCompileCache()

let runs = 0

/** Returns what went wrong, if anything; it is also logged to the engine, in the words of the real language host. */
const run = async (order: RunRequest): Promise<boolean> => {
  const seen = new Set<unknown>()
  const failed = (error: Error): void => {
    if (seen.has(error)) return
    seen.add(error)
    if (isGrpcError(error)) return
    const plain = RunError.isInstance(error) ||
      (ResourceError.isInstance(error) && (error as { hideStack?: boolean }).hideStack)
    log.error(
      plain ? error.message : `Running program failed with an unhandled exception:\n${error.stack ?? error.message}`
    )
  }
  process.chdir(order.folder)
  Object.assign(process.env, order.environment)
  resetOptions(order.project, order.stack, order.parallel, order.address, order.address, order.preview, "organization")
  setAllConfig(order.config, order.secretKeys)
  process.on("uncaughtException", failed)
  process.on("unhandledRejection", failed)
  try {
    // The module of an earlier run is not run again: each gets an address of its own.
    const main = `${pathToFileURL(join(order.folder, "index.js")).href}?run=${++runs}`
    await runInPulumiStack(async () => ({ ...await import(main) }))
    await disconnect(true)
  } catch (error) {
    failed(error as Error)
    await disconnect(false)
  } finally {
    process.off("uncaughtException", failed)
    process.off("unhandledRejection", failed)
  }
  return seen.size === 0 && !log.hasErrors()
}

const tell = (told: RunOutcome): void => void process.send?.(told)

/** Ends the run that is under way. */
let abandon = (): void => undefined

process.on("message", (order: RunRequest | "abandon") => {
  if (order === "abandon") return abandon()
  const abandoned = new Promise<RunOutcome>((resolve) => {
    // It continues waiting, in a store of its own that the next program does not see.
    abandon = () => resolve({ well: false, reusable: true })
  })
  const ended = withLocalStorage(() => run(order)).then((well: boolean) => ({ well, reusable: well }))
  void Promise.race([ended, abandoned]).then(tell)
})
process.on("disconnect", () => process.exit(0))
