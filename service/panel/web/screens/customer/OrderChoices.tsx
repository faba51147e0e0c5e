/**
 * The choices of an order, which the screens of an instance share: the plans as cards, the image, and how the person
 * logs in.
 */
import { wordsOf } from "@pulumi-vps/contract/PlanSpecs"
import type { OsOptions, PublicPlan } from "@pulumi-vps/contract/Services"
import { useEffect, useState } from "preact/hooks"
import { type ResponseOf, useRead } from "../../api/calls.ts"
import { useAccountId, useCurrency } from "../../api/session.ts"
import { SecretDialog } from "../../components/Dialog.tsx"
import { AreaField, CheckField, SelectField, type Values } from "../../components/Form.tsx"
import { useOptions } from "./Image.ts"
import { Loaded, Loading, Notice, Section } from "../../components/Page.tsx"
import { Money } from "../../components/Values.tsx"

interface PlanProps {
  readonly plan: PublicPlan
  readonly chosen: boolean
}

const Plan = ({ chosen, plan }: PlanProps) => {
  const currency = useCurrency()
  return (
    <label class="plan">
      <input type="radio" name="service_id" value={plan.id} defaultChecked={chosen} required />
      <span class="plan-name">{plan.name}</span>
      <span class="plan-price">
        <Money amount={plan.price} currency={currency} /> <span class="muted">{plan.billing_cycle}</span>
      </span>
      <span class="plan-specs">
        {wordsOf(plan.specs).map(([value, name]) => (
          <span key={name}>
            {value} <span class="muted">{name}</span>
          </span>
        ))}
      </span>
      {plan.description !== null && plan.description !== undefined && <span class="muted">{plan.description}</span>}
    </label>
  )
}

export const Plans = ({ chosen, plans }: { readonly plans: ReadonlyArray<PublicPlan>; readonly chosen: number }) => (
  <Section title="Plan" note="Prices include tax for private customers. What you pay is beside the button.">
    <div class="plans" role="radiogroup" aria-label="Plan">
      {plans.map((plan) => <Plan key={plan.id} plan={plan} chosen={plan.id === chosen} />)}
    </div>
  </Section>
)

interface ChosenImage {
  /** Slug of the image that is chosen; undefined or one that the plan cannot run chooses the first one. */
  readonly chosen: string | null | undefined
  readonly onChoose: (slug: string) => void
}

const ImageField = ({ chosen, onChoose, options }: ChosenImage & { readonly options: OsOptions }) => {
  const { location_label: place = "", os_options: all = [] } = options
  const slug = all.find((one) => one.slug === chosen)?.slug ?? all[0]?.slug
  useEffect(() => {
    if (slug !== undefined && slug !== chosen) onChoose(slug)
  }, [slug])
  return (
    <SelectField
      name="os"
      label="Image"
      required
      hint={place === "" ? undefined : `Runs in ${place}`}
      defaultValue={slug}
    >
      {all.map(({ label, slug, version }) => <option key={slug} value={slug}>{label} {version}</option>)}
    </SelectField>
  )
}

/** The images that a plan can run. */
export const Images = ({ plan, ...chosen }: ChosenImage & { readonly plan: number }) => (
  <Loaded query={useOptions(plan)} lines={2}>{(options) => <ImageField {...chosen} options={options} />}</Loaded>
)

/** A stored key, or a pasted one. */
const SshKeyField = ({ before }: { readonly before: string | undefined }) => {
  const { data } = useRead("/accounts/:account/ssh-keys", { params: { account: useAccountId() } })
  return data === undefined ? <Loading lines={2} /> : <KnownKeys keys={data} before={before} />
}

interface KeysProps {
  readonly keys: ResponseOf<"GET /accounts/:account/ssh-keys">
  /** The key that the form begins with. */
  readonly before: string | undefined
}

const KnownKeys = ({ before, keys }: KeysProps) => {
  const isKnown = before === undefined || keys.some((one) => one.public_key === before)
  const [pasting, setPasting] = useState(!isKnown)
  const change = (event: Event) => setPasting((event.currentTarget as HTMLSelectElement).value === "paste")
  const paste = pasting || keys.length === 0
  return (
    <>
      {keys.length > 0 && (
        <SelectField
          name={paste ? "ssh_choice" : "ssh_pubkey"}
          label="SSH key"
          required
          onChange={change}
          defaultValue={isKnown ? before : "paste"}
        >
          {keys.map(({ id, name, public_key }) => <option key={id} value={public_key}>{name}</option>)}
          <option value="paste">Paste another key…</option>
        </SelectField>
      )}
      {paste && (
        <AreaField
          name="ssh_pubkey"
          label="Public SSH key"
          required
          maxLength={4096}
          defaultValue={isKnown ? undefined : before}
          placeholder="ssh-ed25519 AAAA… you@laptop"
          hint="The content of a file such as ~/.ssh/id_ed25519.pub. Store keys under Keys to choose them here."
        />
      )}
    </>
  )
}

const ACCESS = { key: "SSH key", password: "Root password" } as const
export type Access = keyof typeof ACCESS

/** Images on which no SSH key can be installed. */
const KEYLESS = /^windows/

const takesKey = (image: string | undefined): boolean => !KEYLESS.test(image ?? "")

/** The way to log in to an image. */
export const accessTo = (image: string | null | undefined, chosen: Access): Access =>
  takesKey(image ?? undefined) ? chosen : "password"

/** The choice in a form, for its image. */
export const accessOf = ({ text }: Pick<Values, "text">): Access =>
  accessTo(text("os"), text("access") === "password" ? "password" : "key")

interface AccessProps {
  /** Slug of the chosen image. */
  readonly image: string | undefined
  readonly access: Access
  /** The public key that the form begins with. */
  readonly before?: string | undefined
}

/** The way to log in: an instance without either could not be used. */
export const AccessFields = ({ access, before, image }: AccessProps) => (
  <fieldset>
    <legend>Access</legend>
    {takesKey(image) && (
      <CheckField type="radio" name="access" value="key" label={ACCESS.key} checked={access === "key"} />
    )}
    <CheckField
      type="radio"
      name="access"
      value="password"
      label={ACCESS.password}
      hint="A strong one is generated in this browser, and shown to you once."
      checked={access === "password" || !takesKey(image)}
    />
    {access === "key" && takesKey(image) && <SshKeyField before={before} />}
  </fieldset>
)

/** Without characters that look alike. */
const CHARACTERS = "abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
/** The most that the API accepts: 116 bits. */
const PASSWORD_LENGTH = 20

/** A random password; each character is equally likely. */
export const newPassword = (): string => {
  let password = ""
  while (password.length < PASSWORD_LENGTH) {
    const [byte = 0] = crypto.getRandomValues(new Uint8Array(1))
    // Larger numbers would make the first characters more likely.
    if (byte < 256 - 256 % CHARACTERS.length) password += CHARACTERS[byte % CHARACTERS.length]
  }
  return password
}

interface PasswordProps {
  readonly password: string
  /** Of the instance. */
  readonly name: string
  readonly onClose: () => void
}

export const PasswordDialog = ({ name, onClose, password }: PasswordProps) => (
  <SecretDialog title={`The root password of ${name}`} secret={password} what="the password" onClose={onClose}>
    <Notice tone="warn">It is shown only once, and stored nowhere. Copy it before you close this.</Notice>
  </SecretDialog>
)
