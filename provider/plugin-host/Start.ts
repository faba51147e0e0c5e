/** Assembles the plugin. Apart from `main.ts`, because loading this takes as long as everything else. */
import { connect } from "../api/Api.ts"
import { processEnvironment } from "../Config.ts"
import { Plugin } from "./Plugin.ts"
import { PluginHost } from "./PluginHost.ts"
import { Resources } from "./Resources.ts"
import { STACKS } from "../session/Stack.ts"

/** `address` is the engine's; `end` ends the process. */
export const start = (address: string | undefined, end: () => void): { plugin: Plugin; resources: Resources } => {
  const host = new PluginHost(end, address)
  const plugin = new Plugin({ host, connect, environment: processEnvironment(), stacks: STACKS })
  return { plugin, resources: new Resources(plugin) }
}
