/** Converts the API's snake_case to Pulumi's camelCase, for whole responses. */

type Name<Text> = Text extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<Name<Tail> & string>}` : Text

/** The type of a response with its names in camelCase, at every depth. */
export type CamelCase<A> = A extends string ? A
  : A extends ReadonlyArray<infer Item> ? ReadonlyArray<CamelCase<Item>>
  : A extends object ? { readonly [Key in keyof A as Name<Key>]: CamelCase<A[Key]> }
  : A

const name = (text: string): string => text.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase())

const convert = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(convert)
  if (value === null || typeof value !== "object") return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [name(key), convert(inner)]))
}

/** `{service_id: 1}` becomes `{serviceId: 1}`; values are unchanged. */
export const camelCase = <A>(answer: A): CamelCase<A> => convert(answer) as CamelCase<A>
