/** Texts that come from a set of words to which other services, and later versions, may add. */
import * as Schema from "effect/Schema"

/** Editors complete these words; the compiler accepts any text. */
export type OpenSet<Words extends string> = Words | (string & {})

/** The annotation with the words, for what generates types from the contract. */
export const SetWords = "vps:setWords"

export const openSet = <const Words extends ReadonlyArray<string>>(
  words: Words,
  description: string,
  example?: Words[number]
) =>
  Schema.String.annotate({
    description,
    [SetWords]: words,
    ...(example === undefined ? {} : { examples: [example] })
  }) as unknown as Schema.Codec<OpenSet<Words[number]>>
