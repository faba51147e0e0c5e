/** Reading everything back; what a read failed for is left as it was. */
import type { Deployment } from "./Deployment.ts"
import type { StoredResource } from "./State.ts"
import { secretsIn, wrapAll } from "./Wire.ts"
import type { Context } from "./Steps.ts"

export const refresh = async (context: Context, deployment: Deployment): Promise<void> => {
  const { preview, say, state } = context
  const one = async (old: StoredResource): Promise<void> => {
    const provider = await context.provider(old.urn)
    const seen = await provider.read(old.id, old.outputs, old.inputs)
    if (seen.id === "") {
      say(`- ${old.urn} deleted`)
      deployment.summary.delete++
      return preview ? undefined : state.remove(old)
    }
    // By name: secrets stay secrets.
    const outputs = wrapAll(seen.outputs, secretsIn(old.outputs))
    const inputs = wrapAll(seen.inputs ?? old.inputs, secretsIn(old.inputs))
    // Called only to show the changes.
    await provider.diff(old.id, outputs, inputs, old.inputs)
    deployment.summary.same++
    if (!preview) state.change(old, { ...old, outputs, inputs, initErrors: [] })
  }
  const wanted = state.resources.filter(({ custom }) => custom)
  await Promise.all(wanted.map(async (old) => {
    try {
      await one(old)
    } catch (error) {
      deployment.fail()
      say(`error: refreshing ${old.urn} failed: ${(error as Error).message}`)
    }
  }))
}
