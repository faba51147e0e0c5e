/** Decides whether an earlier purchase under the same name can be continued. */
import type { Instance } from "#sdk/client/Records"
import type { Properties } from "../definition/Properties.ts"
import { RETRY_WINDOW } from "../waiting/Retry.ts"
import { generationOf } from "./Definition.ts"
import { buyAnother, refunded } from "./state/Messages.ts"

/** The reason why the instance that this name bought before cannot be continued; undefined when it can. */
export const refusedReplay = (instance: Instance, inputs: Properties, now: number): string | undefined => {
  const { created_at: bought, id, status } = instance
  if (status === "failed") return refunded(id, inputs)
  if (status === "deleted") {
    return `this name bought instance ${id} on ${bought}, which was deleted since. ${buyAnother(inputs)}`
  }
  if (now - Date.parse(bought) <= RETRY_WINDOW) return undefined
  return `this name already bought instance ${id} on ${bought}. Set adoptInstanceId: ${id} to adopt it, or `
    + `generation: ${generationOf(inputs) + 1} to buy another one. Nothing was charged`
}
