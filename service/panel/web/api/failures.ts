/** The failed tasks of the account that no member has dismissed. */
import type { AccountTask } from "../../contract/TaskCalls.ts"
import { pathTo, send, useRead } from "./calls.ts"
import { refresh } from "./query.ts"
import { useAccount, useAccountId } from "./session.ts"

export const FAILURES = "/accounts/:account/failures"

/** Undefined while they are unknown. */
export const useFailures = (): ReadonlyArray<AccountTask> | undefined => {
  const account = useAccount()?.id
  return useRead(account === undefined ? undefined : FAILURES, { params: { account: account ?? 0 } }).data
}

export const useDismiss = () => {
  const account = useAccountId()
  return async (id: number): Promise<void> => {
    await send(`DELETE ${FAILURES}/:id`, { params: { account, id } })
    refresh(pathTo(FAILURES, { account }))
  }
}
