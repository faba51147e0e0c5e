/** The wallet of the account: its balance, and every cent that went in or out. */
import { pathTo, useRead } from "../../api/calls.ts"
import { money } from "../../api/format.ts"
import { useAccountId } from "../../api/session.ts"
import { Pager, usePages } from "../../components/List.tsx"
import { Page, Section } from "../../components/Page.tsx"
import { Loaded } from "../../components/State.tsx"
import { Statement } from "./Statement.tsx"

const Lines = ({ account }: { readonly account: number }) => {
  const { before, pagesOf } = usePages()
  const query = useRead("/accounts/:account/wallet/statement", {
    params: { account },
    query: before === undefined ? {} : { after: before }
  })
  return (
    <Loaded query={query} lines={6}>
      {({ items, next }) => (
        <>
          <Statement
            lines={items}
            hrefOf={(id) => `/panel/instances/${id}`}
            advice="Your host books your first payment here."
          />
          <Pager {...pagesOf(next)} />
        </>
      )}
    </Loaded>
  )
}

export const Wallet = () => {
  const account = useAccountId()
  const query = useRead("/accounts/:account/wallet", { params: { account } })
  const csv = pathTo("/accounts/:account/wallet/statement.csv", { account })
  return (
    <Page title="Wallet">
      <Section
        title="Balance"
        note="Instances are paid from it. To add money, pay your host, who books the payment here."
      >
        <Loaded query={query} lines={1}>
          {({ balance, currency }) => <p class="amount number">{money(balance, currency)}</p>}
        </Loaded>
      </Section>
      <Section
        title="Statement"
        note="Newest first. Charges with their tax, refunds, and payments."
        actions={<a class="button plain" href={`/panel/api${csv}`} download>Download as CSV</a>}
      >
        <Lines account={account} />
      </Section>
    </Page>
  )
}
