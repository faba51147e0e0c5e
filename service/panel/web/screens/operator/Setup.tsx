/** The steps that a new installation still lacks, in order: each with its form, or with the setting that it needs. */
import type { ComponentChildren } from "preact"
import { execute, type ResponseOf, useCommand } from "../../api/calls.ts"
import { useSession } from "../../api/session.ts"
import { ActionButton } from "../../components/ActionButton.tsx"
import type { ButtonProps } from "../../components/Button.tsx"
import { Icon } from "../../components/Icon.tsx"
import { Section } from "../../components/Page.tsx"
import { When } from "../../components/Values.tsx"
import { CreateAccount } from "./Accounts.tsx"
import { ImportCatalogue, NOTHING } from "./Catalogue.tsx"
import { DataCenterForm, ImageForm, PlanForm } from "./CatalogueForms.tsx"
import { AddHost } from "./Hosts.tsx"

type SetupRecord = NonNullable<ResponseOf<"GET /operator/today">["setup"]>
type Step = SetupRecord["steps"][number]["step"]
type MailRecord = SetupRecord["mail"]

/** The button of a step: of the first one, or why it has to wait. */
type Opener = Pick<ButtonProps, "kind" | "off">

const PAYMENT_EXAMPLE = `bank: |
  Example Hosting
  IBAN DE02 1203 0000 0000 2020 51
reference: VPS-{account}
page: https://pay.example.com/?account={account}&amount={amount}`

/** A setting by its name in the file of settings, and in the environment. */
const Setting = ({ name, variable }: { readonly name: string; readonly variable: string }) => (
  <>
    <code>{name}</code> (<code>{variable}</code>)
  </>
)

const Payment = () => (
  <>
    <p>
      The setting <Setting name="payment" variable="VPS_SERVICE_PAYMENT" />{" "}
      is not set. It is the path of a YAML file with your bank's details, the address of a payment page, or both.
      Restart the service afterwards.
    </p>
    <details>
      <summary>An example of the file</summary>
      <pre tabIndex={0}>{PAYMENT_EXAMPLE}</pre>
    </details>
  </>
)

const Outcome = ({ last }: { readonly last: NonNullable<MailRecord["last"]> }) => {
  const { at, error, state, to } = last
  if (state === "sent") {
    return (
      <p class="good">
        A mail to {to} was sent, <When at={at} />.
      </p>
    )
  }
  const reason = error === null ? "" : ` The last try: ${error}.`
  return state === "failed"
    ? <p class="bad">The mail to {to} was refused.{reason} Correct the address or the settings, and try again.</p>
    : <p class="bad">The mail to {to} waits to be sent.{reason} It is tried again; correct the settings if it stays.</p>
}

const TRIED = {
  sent: "The test mail was sent.",
  waiting: "The mail server has not taken the test mail yet.",
  failed: "The mail server refused the test mail."
} as const

const Mail = ({ kind, mail: { from, last, server } }: Opener & { readonly mail: MailRecord }) => {
  const { person: { email } } = useSession()
  if (server === null) {
    return (
      <p>
        The setting <Setting name="smtp-url" variable="VPS_SERVICE_SMTP_URL" />{" "}
        is not set, so mail is only logged, and customers get none. Set it and{" "}
        <Setting name="mail-from" variable="VPS_SERVICE_MAIL_FROM" />, and restart the service. Then try it here.
      </p>
    )
  }
  const test = async () => {
    const { error, state } = await execute("mails.test", { to: email })
    if (state !== "sent") throw new Error(`${TRIED[state]}${error === null ? "" : ` ${error}.`}`)
    return TRIED[state]
  }
  return (
    <>
      <p>
        Mail is sent by <code>{server}</code>, from <code>{from}</code>.
      </p>
      {last !== null && <Outcome last={last} />}
      <div class="actions">
        <ActionButton kind={kind ?? "plain"} icon="mail" run={test}>Send a test mail to {email}</ActionButton>
      </div>
    </>
  )
}

/** The name of each step, and what it is for. */
const TEXTS: Readonly<Record<Step, readonly [title: string, text: string]>> = {
  data_center: ["Data center", "The place that customers choose. Images, plans and hosts belong to one."],
  image: ["Image", "The system that an instance starts with. Hosts also need its file, which images import uploads."],
  plan: ["Plan", "What customers buy: its size, and its price per month."],
  host: ["Host", "The hypervisor that instances run on. Add a network for their addresses under Hosts afterwards."],
  payment: ["Payment details", "How customers pay you. They see it on each page and mail about missing money."],
  mail: ["Mail", "Customers learn by mail what costs them money or data. Try it once."],
  account: ["First account", "A customer's, or your own to look around. Invite its people on its page."]
}

interface StepProps extends Opener {
  readonly step: Step
  readonly mail: MailRecord
}

const StepForm = ({ kind = "plain", mail, off, step }: StepProps): ComponentChildren => {
  const catalogue = useCommand("catalogue.export").data ?? NOTHING
  switch (step) {
    case "data_center":
      return (
        <div class="actions">
          <DataCenterForm catalogue={catalogue} kind={kind} />
          <ImportCatalogue>Import a catalogue…</ImportCatalogue>
        </div>
      )
    case "image":
      return <ImageForm catalogue={catalogue} kind={kind} off={off} />
    case "plan":
      return <PlanForm catalogue={catalogue} kind={kind} off={off} />
    case "host":
      return <AddHost kind={kind} off={off} />
    case "account":
      return <CreateAccount kind={kind} />
    case "payment":
      return <Payment />
    case "mail":
      return <Mail kind={kind} mail={mail} />
  }
}

/** The steps that another one needs first. */
const NEEDS: Readonly<Partial<Record<Step, Step>>> = { image: "data_center", plan: "image", host: "data_center" }

export const Setup = ({ setup: { mail, steps } }: { readonly setup: SetupRecord }) => {
  const open = steps.filter(({ done }) => !done).map(({ step }) => step)
  const offOf = (step: Step) => {
    const needed = NEEDS[step]
    if (needed === undefined || !open.includes(needed)) return undefined
    return `Add ${needed === "image" ? "an" : "a"} ${TEXTS[needed][0].toLowerCase()} first.`
  }
  return (
    <Section
      title="Set up"
      note={`${
        steps.length - open.length
      } of ${steps.length} steps are done. Then customers can buy, and this list is gone.`}
    >
      <ol class="steps setup">
        {steps.map(({ done, step }) => {
          const [title, text] = TEXTS[step]
          if (done) {
            return (
              <li key={step} class="done">
                <Icon name="check" />
                <h3>
                  {title}
                  <span class="hidden">(done)</span>
                </h3>
              </li>
            )
          }
          return (
            <li key={step}>
              <h3>{title}</h3>
              <p class="muted">{text}</p>
              <StepForm step={step} mail={mail} off={offOf(step)} kind={step === open[0] ? "primary" : "plain"} />
            </li>
          )
        })}
      </ol>
    </Section>
  )
}
