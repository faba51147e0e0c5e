/** The prices to come, the suspensions, and the ended instances of the account. */
import type { ContractsRecord } from "../../contract/AccountCalls.ts"
import { useRead } from "./calls.ts"
import { useAccountId } from "./session.ts"

/** Undefined while they are unknown. */
export const useContracts = (): ContractsRecord | undefined =>
  useRead("/accounts/:account/contracts", { params: { account: useAccountId() } }).data
