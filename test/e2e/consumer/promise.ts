/** A user's program with the Promise client alone, under the strictest options. It is compiled, not run. */
import { type Instance, NotFoundError, type PublicPlan, Vps } from "@pulumi-vps/sdk"

const vps = new Vps({ apiKey: "key", baseUrl: "http://127.0.0.1/api/v1" })

export const cheapest = async (): Promise<PublicPlan | undefined> => {
  const plans = await vps.services.list()
  // oxlint-disable-next-line unicorn/no-array-sort -- users sort what they have received
  return plans.sort((a, b) => a.price - b.price)[0]
}

export const find = async (id: number): Promise<Instance | undefined> => {
  try {
    return await vps.instances.get(id)
  } catch (error) {
    if (error instanceof NotFoundError) return undefined
    throw error
  }
}
