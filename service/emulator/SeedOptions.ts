/** Options of the seed: their fields replace those of the standard one. */
import * as Context from "effect/Context"
import * as Schema from "effect/Schema"
import { queryWord } from "#contract/Primitives"
import { CatalogueDocument } from "../contract/operator/Catalogue.ts"
import { Currency, Percent, Price, Time } from "../contract/Fields.ts"
import { DeployBody } from "../contract/Emulator.ts"
import { TREATMENTS } from "../contract/Words.ts"

export const SeedOptions = Schema.Struct({
  wallet: Schema.optionalKey(Price),
  currency: Schema.optionalKey(Currency),
  vat_treatment: Schema.optionalKey(queryWord(TREATMENTS)),
  vat_rate: Schema.optionalKey(Percent),
  // The largest part by far, and rarely used, so its parser is created on demand.
  catalogue: Schema.optionalKey(Schema.suspend((): typeof CatalogueDocument => CatalogueDocument)),
  deploy: Schema.optionalKey(DeployBody),
  clock: Schema.optionalKey(
    Schema.Struct({ now: Schema.optionalKey(Time), frozen: Schema.optionalKey(Schema.Boolean) })
  )
})
export type SeedOptions = typeof SeedOptions.Type

/** The options with which the emulator was started; a reset applies them again. */
export const SeedOverrides = Context.Reference<SeedOptions>("pulumi-vps/service/SeedOverrides", {
  defaultValue: () => ({})
})
