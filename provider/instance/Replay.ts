/** What an earlier purchase of the same name means now. */
import type { Instance } from "#contract/Instance"
import type { Properties } from "../definition/Properties.ts"
import { generationOf } from "./Definition.ts"
import { RETRY_WINDOW } from "../waiting/Retry.ts"
import { refunded } from "./state/Messages.ts"

/** Why the server that this name bought before can't be gone on with; undefined when it can. */
export const refusedReplay = (instance: Instance, inputs: Properties, now: number): string | undefined => {
  const { created_at: bought, id, status } = instance
  const another = `generation: ${generationOf(inputs) + 1} buys another`
  if (status === "failed") return refunded(id, inputs)
  if (status === "deleted") return `this name bought server ${id} on ${bought}, and it was deleted since; ${another}`
  if (now - Date.parse(bought) <= RETRY_WINDOW) return undefined
  return `this name bought server ${id} on ${bought}: adoptInstanceId: ${id} takes it, ${another}. `
    + "Nothing was charged now"
}
