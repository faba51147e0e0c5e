/** Definitions as the engine's schemas: the attributes of a resource in snake_case, with their types. */
import { type Definition, nameInput, type SchemaType } from "../definition/Definition.ts"
import { UNKNOWN } from "../definition/Properties.ts"
import { inputText, outputText } from "../definition/Texts.ts"
import { minor } from "../purchase/Money.ts"
import type { Message } from "./Protocol.ts"
import { snake } from "./TerraformWords.ts"

/** A type as the engine writes it in JSON: "number", ["list", "string"], ["object", {"id": "number"}]. */
export type Type = string | readonly [string, Type] | readonly ["object", Readonly<Record<string, Type>>]

export interface Attribute {
  readonly name: string
  readonly type: Type
  /** In Markdown. */
  readonly description: string
  readonly required?: boolean
  readonly optional?: boolean
  readonly computed?: boolean
  readonly sensitive?: boolean
  readonly write_only?: boolean
  /** The property of the definition that it shows; absent for one of this host alone. */
  readonly property?: string
}

/** An object of the engine: one value per attribute, `UNKNOWN` for one that is not known yet. */
export type State = Readonly<Record<string, unknown>>

const MARKDOWN = 1

export const toSchema = (attributes: ReadonlyArray<Attribute>, description: string): Message<"Schema"> => ({
  version: 0,
  block: {
    description,
    description_kind: MARKDOWN,
    attributes: attributes.map((attribute) => ({
      ...attribute,
      type: Buffer.from(JSON.stringify(attribute.type)),
      description_kind: MARKDOWN
    }))
  }
})

/** The engine has one type of numbers, and lists whose items have one type. */
const typeOf = (schema: SchemaType): Type => {
  // Values of any type are compared only: as texts.
  if (!("type" in schema)) return "string"
  const { additionalProperties, items, type } = schema
  if (type === "array") return ["list", items === undefined ? "string" : typeOf(items)]
  if (type === "object") return ["map", additionalProperties === undefined ? "string" : typeOf(additionalProperties)]
  if (type === "boolean") return "bool"
  return type === "string" ? "string" : "number"
}

/** A value of this type, from what the engine sends: a number without an exact binary form (4.99) comes as a text. */
export const fromEngine = (type: Type, value: unknown): unknown => {
  if (value === null || value === undefined) return undefined
  if (value === UNKNOWN) return value
  return type === "number" ? Number(value) : value
}

/** Amounts in integer minor units: sums of decimals are not exact in the engine's language. */
const MINOR = "_minor"

const minorOf = (property: string): Attribute => ({
  name: `${snake(property)}${MINOR}`,
  type: "number",
  computed: true,
  description: `\`${snake(property)}\` in minor units (cents), for sums.`
})

/** Adds the amounts in minor units. */
export const withMinorUnits = (state: State): State =>
  Object.fromEntries(
    Object.entries(state).map(([name, value]) => {
      if (!name.endsWith(MINOR)) return [name, value]
      const amount = state[name.slice(0, -MINOR.length)]
      return [name, typeof amount === "number" ? minor(amount) : amount ?? null]
    })
  )

/** The names of the definitions' texts that this host has under other names. */
const NAMES: Readonly<Record<string, string>> = {
  getPlans: "vps_plans",
  getIsos: "vps_isos",
  getBackups: "vps_backups",
  SnapshotRestore: "vps_snapshot_restore",
  instance: "vps_instance.web",
  snapshot: "vps_snapshot.first",
  snapshotId: "snapshot_id"
}

/** Code in backquotes, as this host writes it. */
const describe = (text: string, names: ReadonlySet<string>): string =>
  text.replaceAll(
    /`[^`]+`/g,
    (code) => code.replaceAll(/\b[a-zA-Z]+\b/g, (word) => NAMES[word] ?? (names.has(word) ? snake(word) : word))
  )

export const attributesOf = (definition: Definition): ReadonlyArray<Attribute> => {
  const { inputs, outputs } = definition
  const names = new Set(Object.keys({ ...inputs, ...outputs }))
  const common = (property: string, description: string) => ({
    name: snake(property),
    property,
    description: describe(description, names)
  })
  return [
    { name: "id", type: "string", computed: true, description: "The id of the resource." },
    ...Object.entries(inputs).map(([property, input]): Attribute => {
      const isNamed = nameInput(inputs, property) !== undefined
      const required = input.required !== undefined && !isNamed
      return {
        ...common(property, inputText(input)),
        type: typeOf(input.type.schema),
        required,
        optional: !required,
        // Either of a pair that sets one thing shows what the other has set.
        computed: isNamed || input.names !== undefined || input.serverChosen === true,
        sensitive: input.secret === true
      }
    }),
    ...Object.entries(outputs).flatMap(([property, output]): ReadonlyArray<Attribute> => [
      {
        ...common(property, outputText(output)),
        type: typeOf(output.schema),
        computed: true,
        sensitive: output.secret === true
      },
      ...(output.unit === "units of `currency`" ? [minorOf(property)] : [])
    ])
  ]
}
