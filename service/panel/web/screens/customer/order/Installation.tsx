/** The installation of a new instance: image, hostname, and ways to log in. */
import type { OsOptions, PublicPlan } from "#contract/Services"
import { useState } from "preact/hooks"
import { useRead } from "../../../api/calls.ts"
import type { Query } from "../../../api/query.ts"
import { useAccountId } from "../../../api/session.ts"
import { AreaField, SelectField, TextField } from "../../../components/Form.tsx"
import { Section } from "../../../components/Page.tsx"
import { Loaded } from "../../../components/State.tsx"

const Images = ({ images }: { readonly images: Query<OsOptions> }) => (
  <Loaded query={images} lines={2}>
    {({ location_label: place = "", os_options: options = [] }) => (
      <SelectField name="os" label="Image" hint={place === "" ? undefined : `Data center: ${place}`}>
        <option value="">The plan's default</option>
        {options.map(({ label, slug, version }) => <option key={slug} value={slug}>{label} {version}</option>)}
      </SelectField>
    )}
  </Loaded>
)

/** A stored key, or a pasted one. */
export const SshKeyField = () => {
  const { data: keys = [] } = useRead("/accounts/:account/ssh-keys", { params: { account: useAccountId() } })
  const [pasting, setPasting] = useState(false)
  const change = (event: Event) => setPasting((event.currentTarget as HTMLSelectElement).value === "paste")
  const paste = pasting || keys.length === 0
  return (
    <div class="stack">
      {keys.length > 0 && (
        <SelectField name={paste ? "ssh_choice" : "ssh_pubkey"} label="SSH key" onChange={change}>
          <option value="">None</option>
          {keys.map(({ id, name, public_key }) => <option key={id} value={public_key}>{name}</option>)}
          <option value="paste">Paste another key…</option>
        </SelectField>
      )}
      {paste && (
        <AreaField
          name="ssh_pubkey"
          label="Public SSH key"
          maxLength={4096}
          placeholder="ssh-ed25519 AAAA… you@laptop"
          hint="Linux only. Store keys under Keys to choose them here."
        />
      )}
    </div>
  )
}

interface PasswordProps {
  readonly name: string
  readonly maxLength: number
  readonly hint: string
}

/** Of root, on the new system. */
export const Password = (props: PasswordProps) => (
  <TextField {...props} label="Root password" type="password" autocomplete="new-password" minLength={8} />
)

interface InstallationProps {
  readonly images: Query<OsOptions>
  readonly plan: PublicPlan
}

export const Installation = ({ images }: InstallationProps) => (
  <Section title="Installation">
    <div class="fields">
      <TextField name="hostname" label="Hostname" maxLength={253} placeholder="web.example.com" hint="Optional" />
      <Images images={images} />
      <SshKeyField />
      <div class="stack">
        <Password
          name="root_password"
          maxLength={20}
          hint="Optional; without it, one is generated and never shown. Reset it later to see one."
        />
        <TextField name="coupon_code" label="Coupon" maxLength={64} hint="Optional; applies to the first period" />
      </div>
    </div>
  </Section>
)
