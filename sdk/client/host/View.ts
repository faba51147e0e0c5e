/**
 * Records that the specification does not show, as clients may read them. A view has the documented fields of which
 * the type is the documented one; a field that is absent, or of another shape, is undefined. So a reader finds by its
 * type which fields it must do without on another host.
 */
import { SHAPES, type UnshownRecords } from "./Shapes.ts"

/** The documented fields of a record, each only if the host has it. */
export type View<Record> = { readonly [Field in keyof Record]?: ViewOf<Record[Field]> | undefined }

type ViewOf<Value> = Value extends string | number | boolean | null ? Value
  : Value extends ReadonlyArray<infer Item> ? ReadonlyArray<ViewOf<Item>>
  : Value extends object ? View<Value>
  : Value

/** The name of a record that the specification does not show; never for the others. */
export type UnshownName<Data> = {
  readonly [Name in keyof UnshownRecords]: [Data, UnshownRecords[Name]] extends [UnshownRecords[Name], Data] ? Name
    : never
}[keyof UnshownRecords]

/** The data of a response as a client may read it. A list may be of another shape as a whole. */
export type AnyHostData<Data> = Data extends ReadonlyArray<infer Item>
  ? [UnshownName<Item>] extends [never] ? Data : ReadonlyArray<View<Item>> | undefined
  : [UnshownName<Data>] extends [never] ? Data
  : View<Data>

type Fields = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Under this key, which no JSON has, a view has what the host sent. */
const RAW = Symbol("raw")

/** The response behind a view, or a list of views; anything else as it is. */
export const rawOf = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(rawOf)
  return isObject(value) && RAW in value ? (value as { readonly [RAW]: unknown })[RAW] : value
}

/** The documented value, or undefined for one of another shape. `shape` is like "number", "Task?" or "Task[]". */
const read = (shape: string, value: unknown): unknown => {
  if (shape.endsWith("?")) return value === null ? null : read(shape.slice(0, -1), value)
  if (shape.endsWith("[]")) {
    const inner = shape.slice(0, -2)
    return Array.isArray(value)
      ? value.map((item) => read(inner, item)).filter((item) => item !== undefined)
      : undefined
  }
  if (shape === "number") return typeof value === "number" && Number.isFinite(value) ? value : undefined
  if (shape === "string" || shape === "boolean") return typeof value === shape ? value : undefined
  if (!isObject(value)) return undefined
  // The specs of a plan are a record that the specification shows.
  return Object.hasOwn(SHAPES, shape) ? view(shape as keyof UnshownRecords, value) : value
}

/** The specification has the ids of the paths as integers, under names that a record may have, too. */
const IDS: Partial<Record<keyof UnshownRecords, ReadonlyArray<string>>> = {
  AvailablePlan: ["id", "service_id"],
  Snapshot: ["id", "snap_id"],
  Backup: ["id", "backup_id"],
  Iso: ["id", "iso_id"]
}

const idIn = (data: Fields, names: ReadonlyArray<string>): number | undefined => {
  for (const name of names) {
    const value = data[name]
    const id = typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value
    if (Number.isSafeInteger(id)) return id as number
  }
  return undefined
}

/** Reads a response of any shape. Fields that are not documented stay. */
export const view = <Name extends keyof UnshownRecords>(name: Name, data: unknown): View<UnshownRecords[Name]> => {
  const fields: Record<PropertyKey, unknown> = isObject(data) ? { ...data } : {}
  for (const [field, shape] of Object.entries(SHAPES[name])) {
    const value = read(shape, fields[field])
    if (value === undefined) delete fields[field]
    else fields[field] = value
  }
  const ids = IDS[name]
  const id = ids === undefined || !isObject(data) ? undefined : idIn(data, ids)
  if (id !== undefined) fields["id"] = id
  if (name === "TaskPage" && fields["items"] === undefined) {
    const items = listIn(data)
    if (items !== undefined) fields["items"] = items.map((item) => view("Task", item))
  }
  return Object.defineProperty(fields, RAW, { value: data, configurable: true }) as View<UnshownRecords[Name]>
}

/** Levels of wrappers around a list: `{ data: { snapshots: [...] } }` has two. */
const WRAPPERS = 2

/** The list in a response: itself, its `items`, or the only list in its wrappers. Undefined for another shape. */
export const listIn = (data: unknown, wrappers = WRAPPERS): ReadonlyArray<unknown> | undefined => {
  if (Array.isArray(data)) return data
  if (!isObject(data) || wrappers === 0) return undefined
  if (Array.isArray(data["items"])) return data["items"]
  const lists = Object.values(data).flatMap((value) => {
    const list = listIn(value, wrappers - 1)
    return list === undefined ? [] : [list]
  })
  return lists.length === 1 ? lists[0] : undefined
}
