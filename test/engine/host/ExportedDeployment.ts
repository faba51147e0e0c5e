/** A deployment as `pulumi stack export --show-secrets` writes it, as the test engine keeps it. */
import type { Document, StoredResource } from "./State.ts"
import type { Vault } from "./Vault.ts"
import { secret, type Values } from "./Wire.ts"

/** The fields that the real engine omits when they are empty or false. */
type Exported = Partial<StoredResource> & { readonly urn: string; readonly type: string }

interface Deployment {
  readonly deployment: { readonly resources: ReadonlyArray<Exported> }
}

/** A secret as an export shows it holds its value as JSON in a text. */
const revealed = (values: Values): Values =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const plain = value !== null && typeof value === "object" ? (value as Values)["plaintext"] : undefined
      return [name, typeof plain === "string" ? secret(JSON.parse(plain)) : value]
    })
  )

export const documentOf = (json: string, vault: Vault): Document => ({
  resources: (JSON.parse(json) as Deployment).deployment.resources
    .filter(({ type }) => !type.startsWith("pulumi:"))
    .map(({ custom = false, id = "", parent = "", type, urn, ...rest }) => ({
      urn,
      type,
      id,
      custom,
      parent,
      inputs: vault.seal(revealed(rest.inputs ?? {})),
      outputs: vault.seal(revealed(rest.outputs ?? {})),
      dependencies: rest.dependencies ?? [],
      propertyDependencies: rest.propertyDependencies ?? {},
      initErrors: rest.initErrors ?? [],
      delete: rest.delete ?? false,
      protect: rest.protect ?? false,
      retainOnDelete: rest.retainOnDelete ?? false,
      deletedWith: rest.deletedWith ?? ""
    })),
  pending: []
})
