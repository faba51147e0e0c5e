/** Deleting many: what depends on others goes first, and what does not goes side by side. */
import type { Deployment } from "./Deployment.ts"
import type { StoredResource } from "./State.ts"
import { type Context, Steps } from "./Steps.ts"

/** Does `one` have to go before `other`? */
const before = (one: StoredResource, other: StoredResource): boolean =>
  one !== other && (one.parent === other.urn || one.deletedWith === other.urn || one.dependencies.includes(other.urn))

/** Deletes them all; returns when they are gone, or when one could not be deleted and those under way have ended. */
export const deleteAll = async (
  context: Context,
  deployment: Deployment,
  resources: ReadonlyArray<StoredResource>
): Promise<void> => {
  const { preview, say } = context
  const steps = new Steps(context, deployment.summary)
  // The old half of a replacement was counted when it was replaced.
  deployment.summary.delete += resources.filter((one) => !one.delete).length
  if (preview) {
    for (const one of resources) say(`- ${one.urn} delete`)
    return
  }
  const blocked = resources.find((one) => one.protect)
  if (blocked !== undefined) {
    deployment.fail()
    return say(`error: ${blocked.urn} can't be deleted because it is protected`)
  }
  const left = new Set(resources)
  const urns = new Set(resources.map(({ urn }) => urn))
  while (left.size > 0 && !deployment.failed) {
    const free = [...left].filter((one) => ![...left].some((other) => before(other, one)))
    for (const one of free) left.delete(one)
    const all = Promise.allSettled(free.map((one) => deployment.step(() => steps.remove(one, urns))))
    await Promise.race([all, deployment.stopped])
  }
}
