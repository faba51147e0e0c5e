/**
 * The same scenarios with the plugin instead of the dynamic provider: the program imports the plugin's classes, and *
 * the type names of one host are translated to those of the other.
 */
import type { Running, RunOptions, Stack } from "./Stack.ts"

type Make = (environment: Readonly<Record<string, string>>) => Promise<Stack>

const OURS = /vps:index:(Instance|Snapshot|ReverseDns|SnapshotRestore|BackupRestore)\b/g
const THEIRS = /pulumi-nodejs:dynamic\/vps:(\w+)/g

const asDynamic = (text: string): string => text.replaceAll(OURS, "pulumi-nodejs:dynamic/vps:$1")
const asPlugin = (text: string): string => text.replaceAll(THEIRS, "vps:index:$1")
/** As the dynamic provider's resources are printed: some scenarios look for a resource's row. */
const asPrinted = (text: string): string => text.replaceAll(OURS, "vps:$1")

const options = ({ replace, ...others }: RunOptions): RunOptions => ({
  ...others,
  ...(replace === undefined ? {} : { replace: replace.map(asPlugin) })
})

const printed = (running: Running): Running => {
  const read = async (result: Running["done"]): Running["done"] => {
    const { code, output } = await result
    return { code, output: asPrinted(output) }
  }
  return {
    done: read(running.done),
    kill: () => read(running.kill()),
    killEngine: () => read(running.killEngine()),
    killProvider: () => read(running.killProvider()),
    descendants: () => running.descendants()
  }
}

export const onPlugin = (make: Make): Make => async (environment) => {
  const stack = await make(environment)
  const start: Stack["start"] = (verb, given = {}) => printed(stack.start(verb, options(given)))
  return {
    ...stack,
    program: (source) => stack.program(source.replaceAll("pulumi-vps/provider", "pulumi-vps/pulumi")),
    start,
    run: (verb, given) => start(verb, given).done,
    exportState: async () => {
      const { pending, resources } = await stack.exportState()
      return {
        resources: resources.map((one) => ({ ...one, type: asDynamic(one.type), urn: asDynamic(one.urn) })),
        pending: pending.map((one) => ({ ...one, urn: asDynamic(one.urn) }))
      }
    }
  }
}
