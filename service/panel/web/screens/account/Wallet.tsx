/** The wallet of the account: its balance, and every cent that went in or out. */
import type { StatementPage, WalletRecord } from "../../../contract/WalletCalls.ts"
import { money } from "../../api/format.ts"
import { useQuery } from "../../api/query.ts"
import { useAccountPath } from "../../api/session.ts"
import { Pager, usePages } from "../../components/List.tsx"
import { Page, Section } from "../../components/Page.tsx"
import { Loaded } from "../../components/State.tsx"
import { Statement } from "./Statement.tsx"

const Lines = ({ path }: { readonly path: string }) => {
  const { before, pagesOf } = usePages()
  const query = useQuery<typeof StatementPage.Encoded>(
    `${path}/wallet/statement${before === undefined ? "" : `?after=${before}`}`
  )
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
  const path = useAccountPath()
  const query = useQuery<typeof WalletRecord.Encoded>(`${path}/wallet`)
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
        actions={<a class="button plain" href={`/panel/api${path}/wallet/statement.csv`} download>Download as CSV</a>}
      >
        <Lines path={path} />
      </Section>
    </Page>
  )
}
