import * as Effect from "effect/Effect"
import type { Call } from "../chain/Handler.ts"
import { DecodeError } from "../errors/Errors.ts"
import type { CallOptions } from "../options/Options.ts"
import type { Balance } from "../Results.ts"
import type { Calls } from "./Endpoint.ts"
import type { instances } from "./Instances.ts"
import type { services } from "./Services.ts"

/** The calls of `account` that combine others. */
export const accountBalance = (
  { list }: Calls<typeof services>,
  { dryRun }: Calls<typeof instances>
) => ({
  /**
   * Returns the balance of the wallet, `wallet_balance`, and its currency. The API reports it with the price of a plan,
   * so this sends a dry run of a create, which buys nothing. Needs a key that may create.
   *
   * @example
   * const { currency, wallet_balance } = await vps.account.balance()
   * if (wallet_balance < 50) console.log(`Top up the wallet: ${wallet_balance} ${currency} left`)
   */
  balance: (options?: CallOptions): Call<Balance> =>
    Effect.flatMap(list(options), ({ data: [plan], response: { requestId, status } }) => {
      if (plan === undefined) {
        const problem = "the service lists no plan, and reports the balance only with the price of one"
        return Effect.fail(new DecodeError(status, problem, { method: "GET", path: "/services", requestId }))
      }
      return Effect.map(dryRun({ service_id: plan.id }, options), ({ data, response }) => ({
        data: { wallet_balance: data.wallet_balance, currency: data.currency },
        response
      }))
    })
})
