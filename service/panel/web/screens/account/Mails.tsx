/** The mails about the account that the person gets: each member chooses for themselves. */
import type { MailChoices } from "../../../contract/AccountCalls.ts"
import { send, useRead } from "../../api/calls.ts"
import { useAccountId } from "../../api/session.ts"
import { CheckField, Form, type Values } from "../../components/Form.tsx"
import { Loaded, Notice, Page, Section } from "../../components/Page.tsx"
import { OwnPart } from "../../components/ReadOnly.tsx"

type Kind = MailChoices["kinds"][number]["kind"]

const TEXTS: Readonly<Record<Kind, readonly [name: string, hint: string]>> = {
  ordered: ["Order confirmed", "What was ordered, its charge, and when it is renewed."],
  deployment_failed: ["Deployment failed", "With the refund."],
  order_rejected: ["Order rejected", "With the reason and the refund."],
  payment_booked: ["Payment booked", "With the balance, and the instances that it renewed."],
  renewal_due: ["Money is missing", "7, 3 and 1 days before a renewal that the wallet does not pay for."],
  expired: ["Instance expired", "It is powered off: what to pay, and until when."],
  deletion_due: ["Deletion is near", "3 and 1 days before an expired instance is deleted."],
  deleted: ["Instance deleted", "With the reason."],
  suspended: ["Instance suspended", "With the reason, and whether it is charged."],
  price_announced: ["New price", "The price of a plan that you have, and the day from which it applies."],
  payment_taken_back: ["Payment taken back", "A chargeback, or a payment that belonged to another account."],
  corrected: ["Correction", "A renewal or an expiry was a mistake and was undone."],
  announcement: ["Announcements", "Maintenance that concerns your instances, and news of the host."],
  unsuspended: ["Suspension ended", "It runs again if it did before."]
}

/** In the order of the page. */
const GROUPS: ReadonlyArray<readonly [title: string, kinds: ReadonlyArray<Kind>]> = [
  ["Before something is lost", ["renewal_due", "expired", "deletion_due", "deleted", "suspended", "unsuspended"]],
  ["Money", ["payment_booked", "payment_taken_back", "price_announced", "corrected"]],
  ["Orders", ["ordered", "deployment_failed", "order_rejected"]],
  ["Your host", ["announcement"]]
]

const Choices = ({ account, choices }: { readonly account: number; readonly choices: MailChoices }) => {
  const { email, kinds, owner_email: owner } = choices
  const isOwner = kinds.some(({ required }) => required)
  const byKind = new Map(kinds.map((one) => [one.kind, one]))
  const save = async ({ checked }: Values) => {
    const wanted = kinds.filter(({ kind, required }) => required || checked(kind)).map(({ kind }) => kind)
    await send("PUT /accounts/:account/mails", { params: { account }, body: { wanted } })
    return "Your choice is saved."
  }
  return (
    <>
      <Notice tone="info">
        {isOwner
          ? `They go to ${email}, the address of the account. What may cost data or money cannot be turned off.`
          : `They go to ${email}. The owner, ${owner}, gets theirs in any case.`}
      </Notice>
      <Form submit="Save" onSubmit={save}>
        <div>
          {GROUPS.map(([title, group]) => (
            <Section key={title} title={title}>
              <div class="fields">
                {group.map((kind) => {
                  const { required = false, wanted = false } = byKind.get(kind) ?? {}
                  const [label, hint] = TEXTS[kind]
                  return (
                    <CheckField
                      key={kind}
                      name={kind}
                      label={label}
                      hint={hint}
                      defaultChecked={wanted}
                      disabled={required}
                    />
                  )
                })}
              </div>
            </Section>
          ))}
        </div>
      </Form>
    </>
  )
}

export const Mails = () => {
  const account = useAccountId()
  const query = useRead("/accounts/:account/mails", { params: { account } })
  return (
    <Page title="Mails">
      <OwnPart>
        <Loaded query={query} lines={10}>
          {(choices) => <Choices key={account} {...{ account, choices }} />}
        </Loaded>
      </OwnPart>
    </Page>
  )
}
