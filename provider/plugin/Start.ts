/** Assembles the plugin. Apart from `main.ts`, because loading this takes as long as everything else. */
import { connect } from "../api/SdkApi.ts"
import { processEnvironment } from "../Config.ts"
import type { ReadStack } from "./ImportGuard.ts"
import { Plugin } from "./Plugin.ts"
import { PluginHost } from "./PluginHost.ts"
import { Resources } from "./Resources.ts"

/** `address` is the engine's; `end` ends the process. */
export const start = (address: string | undefined, end: () => void): { plugin: Plugin; resources: Resources } => {
  const host = new PluginHost(end, address)
  const readStack: ReadStack = async (stack) => {
    // Loaded by imports alone, which are rare.
    const { readStates } = await import("../orphans/States.ts")
    return (await readStates({ stacks: [stack] }))[0]!
  }
  const plugin = new Plugin({ host, connect, environment: processEnvironment(), readStack })
  return { plugin, resources: new Resources(plugin) }
}
