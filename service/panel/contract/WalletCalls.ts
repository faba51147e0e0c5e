/** The wallet of an account, for its members. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { NullableInt, PathId, queryInt } from "#contract/Primitives"
import { RequiredAccess } from "./Access.ts"
import { StatementRecord } from "../../contract/Statement.ts"

const WalletRecord = Schema.Struct({ balance: Schema.Finite, currency: Schema.String })

/** `next` is for the query of the next page; null on the last one. */
const StatementPage = Schema.Struct({ items: Schema.Array(StatementRecord), next: NullableInt })

const account = { account: PathId }

/** Most lines of a page. */
const STATEMENT_LIMIT_MAX = 200

export class WalletCalls extends HttpApiGroup.make("wallet")
  .add(
    HttpApiEndpoint.get("balance", "/accounts/:account/wallet", { params: account, success: WalletRecord }),
    HttpApiEndpoint.get("statement", "/accounts/:account/wallet/statement", {
      params: account,
      query: {
        limit: Schema.optionalKey(queryInt(1, STATEMENT_LIMIT_MAX)),
        /** The `next` of the page before. */
        after: Schema.optionalKey(queryInt(1))
      },
      success: StatementPage
    }),
    HttpApiEndpoint.get("statement_csv", "/accounts/:account/wallet/statement.csv", {
      params: account,
      success: Schema.String
    })
  )
  .annotate(RequiredAccess, "account")
{}
