/** The API's snake_case as Pulumi's camelCase, for whole answers. */

type Name<Text> = Text extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<Name<Tail> & string>}` : Text

/** The type of an answer with its names in camelCase, all the way down. */
export type CamelCase<A> = A extends ReadonlyArray<infer Item> ? ReadonlyArray<CamelCase<Item>>
  : A extends object ? { readonly [Key in keyof A as Name<Key>]: CamelCase<A[Key]> }
  : A

const name = (text: string): string => text.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase())

const convert = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(convert)
  if (value === null || typeof value !== "object") return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [name(key), convert(inner)]))
}

/** `{service_id: 1}` becomes `{serviceId: 1}`; values stay what they are. */
export const camelCase = <A>(answer: A): CamelCase<A> => convert(answer) as CamelCase<A>
