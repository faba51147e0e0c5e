/** The name of the account, and the way out of it. */
import { useLocation } from "preact-iso/router"
import { send } from "../../api/calls.ts"
import { loadSession, useAccount, useSession } from "../../api/session.ts"
import { FormDialog } from "../../components/FormDialog.tsx"
import { Form, TextField, type Values } from "../../components/Form.tsx"
import { Facts, Page, Section } from "../../components/Page.tsx"
import { OwnPart } from "../../components/ReadOnly.tsx"
import { keysText, PERMISSION_NAMES, RevokeKeysField, useKeysOf } from "./People.tsx"

/** Longest name of an account, in characters. */
const NAME_MAX = 64

type Account = NonNullable<ReturnType<typeof useAccount>>

const Name = ({ account: { email, id, name } }: { readonly account: Account }) => {
  const save = async ({ text }: Values) => {
    await send("PUT /accounts/:account/name", { params: { account: id }, body: { name: text("name") ?? "" } })
    await loadSession()
    return "The name is saved."
  }
  return (
    <Section title="Name" note="Members see it in the panel, and invited people in their mail.">
      <Form submit="Save" onSubmit={save}>
        <TextField
          key={name}
          name="name"
          label="Name of the account"
          maxLength={NAME_MAX}
          defaultValue={name === email ? "" : name}
          placeholder={email}
          hint="If it is empty, the address of the owner is shown."
        />
      </Form>
    </Section>
  )
}

const Leave = ({ account: { id, name } }: { readonly account: Account }) => {
  const { route } = useLocation()
  const keys = useKeysOf(id, useSession().person.id)
  const leave = async ({ checked }: Values) => {
    const query = { revoke_keys: checked("revoke_keys") }
    const left = await send("DELETE /me/accounts/:account", { params: { account: id }, query })
    route("/panel", true)
    await loadSession()
    return `You have left ${name}. ${keysText(left, "you")}`
  }
  return (
    <Section title="Leave this account" note="The account and its instances stay with its other members.">
      <FormDialog
        action="Leave…"
        heading={`Leave the account ${name}?`}
        submit="Leave the account"
        onSubmit={leave}
      >
        <p>You lose access at once: to its instances, its wallet, and its keys. Only a member can invite you again.</p>
        <p>API keys belong to the account: those that remain keep working.</p>
        <RevokeKeysField keys={keys} who="you" />
      </FormDialog>
    </Section>
  )
}

const Shown = ({ account }: { readonly account: Account }) => {
  const rows = [
    ["Number", account.id],
    ["Owner", account.email],
    ["Currency", account.currency],
    ["Your access", PERMISSION_NAMES[account.permission]]
  ] as const
  return (
    <Page title="Account">
      <Section title="Details">
        <Facts rows={rows} />
      </Section>
      <Name account={account} />
      <OwnPart>
        <Leave account={account} />
      </OwnPart>
    </Page>
  )
}

export const AccountSettings = () => {
  const account = useAccount()
  return account === undefined ? <Page title="Account" /> : <Shown key={account.id} account={account} />
}
