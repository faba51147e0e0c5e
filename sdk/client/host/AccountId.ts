/** The account of an API key, also of a host that does not return it with the key. */
import type { Instance, Whoami } from "../Records.ts"
import type { View } from "./View.ts"

/** The specification shows the owner of an instance, and a key sees the instances of its own account only. */
export const accountIdOf = (
  { account_id }: View<Whoami>,
  instances: Iterable<Pick<Instance, "user_id">>
): number | undefined => {
  if (account_id !== undefined) return account_id
  for (const { user_id } of instances) return user_id
  return undefined
}
