/** The setting that says how customers pay. Its file is read when the service starts. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { readFile } from "node:fs/promises"
import { type HowToPay, paymentOf, PLACEHOLDERS } from "../domain/HowToPay.ts"
import { InvalidSetting, text } from "./Setting.ts"
import type { Document, Entry } from "./YamlEntries.ts"

export const PAYMENT = {
  payment: text({
    flag: "payment",
    environment: "VPS_SERVICE_PAYMENT",
    unit: "path of a YAML file with bank, reference and page",
    fallback: "",
    reason: "How customers pay you. The panel, mail, the API and the vps command say it if money is missing. Read when "
      + "the service starts."
  })
} as const

/** The ways in which customers pay; undefined if the host has not said it. */
export const Payment = Context.Reference<HowToPay | undefined>("@pulumi-vps/service/Payment", {
  defaultValue: () => undefined
})

/** Longest texts, in characters. Banks accept references of 35 characters, of which an account's id needs some. */
const BANK_MAX = 1_000
const REFERENCE_MAX = 25
const PAGE_MAX = 500

const REFERENCE = "{account}"

/** Characters that change how a text is read: control characters, marks of direction, and ends of lines. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u

/** A text is wrong; the message follows its key. */
class Wrong extends Error {}

const listed = (names: ReadonlyArray<string>): string => {
  const [last = "", ...others] = names.map((name) => `{${name}}`).toReversed()
  return others.length === 0 ? last : `${others.toReversed().join(", ")} or ${last}`
}

/** Throws `Wrong` unless all braces are those of placeholders, of which one has to identify the account. */
const assertPlaceholders = (value: string, names: ReadonlyArray<string>): void => {
  const rest = value.replaceAll(/\{([a-z]+)\}/g, (all, name: string) => names.includes(name) ? "" : all)
  const [unknown] = /\{[^{}]*\}|[{}]/.exec(rest) ?? []
  if (unknown !== undefined) throw new Wrong(`contains ${unknown}, which is not a placeholder. Use ${listed(names)}.`)
  if (value.includes("{account}") || names.includes("reference") && value.includes("{reference}")) return
  const needed = listed(names.filter((name) => name === "account" || name === "reference"))
  throw new Wrong(`should contain ${needed}, because you could not assign the payments otherwise.`)
}

const assertText = (value: unknown, max: number): string => {
  if (typeof value !== "string" || value.trim() === "") throw new Wrong("should be a text. Put it in quotes.")
  const lines = value.trim().split("\n").map((line) => line.trim())
  if (lines.some((line) => INVISIBLE.test(line))) throw new Wrong("contains invisible characters. Remove them.")
  const found = lines.join("\n")
  if (found.length > max) throw new Wrong(`has ${found.length} characters. Shorten it to ${max}.`)
  return found
}

const assertLine = (value: unknown, max: number): string => {
  const found = assertText(value, max)
  if (found.includes("\n")) throw new Wrong("should be one line.")
  return found
}

const readReference = (value: unknown): string => {
  const found = assertLine(value, REFERENCE_MAX)
  assertPlaceholders(found, PLACEHOLDERS.reference)
  return found
}

const readPage = (value: unknown): string => {
  const found = assertLine(value, PAGE_MAX)
  assertPlaceholders(found, PLACEHOLDERS.page)
  const { page } = paymentOf({ bank: null, reference: "1", page: found }, { accountId: 1, currency: "EUR", missing: 1 })
  if (!/^https:\/\/\S+$/.test(page!) || !URL.canParse(page!)) {
    throw new Wrong("should be an address like https://pay.example.com/?account={account}&amount={amount}.")
  }
  return found
}

const READERS: { readonly [K in keyof HowToPay]: (value: unknown) => string } = {
  bank: (value) => assertText(value, BANK_MAX),
  reference: readReference,
  page: readPage
}

const isKey = (key: string): key is keyof HowToPay => key in READERS

const readEntry = ({ key, value }: Entry): readonly [keyof HowToPay, string] => {
  if (!isKey(key)) throw new Wrong("is none of bank, reference, and page. Correct or remove this line.")
  return [key, READERS[key](value)]
}

/** Throws `InvalidSetting` with a line for each problem. */
const howToPay = (path: string, { entries, problems }: Document): HowToPay => {
  const found: { -readonly [K in keyof HowToPay]?: string } = {}
  const lines = problems.map(({ line, message }) => `${path}:${line}: ${message}`)
  for (const entry of entries) {
    try {
      const [key, value] = readEntry(entry)
      found[key] = value
    } catch (cause) {
      if (!(cause instanceof Wrong)) throw cause
      lines.push(`${path}:${entry.line}: ${entry.key} ${cause.message}`)
    }
  }
  const { bank = null, page = null, reference = REFERENCE } = found
  if (lines.length === 0 && bank === null && page === null) {
    lines.push(`${path}: has neither bank nor page. Add one of them, so that customers can pay.`)
  }
  if (lines.length > 0) throw new InvalidSetting({ message: lines.join("\n") })
  return { bank, reference, page }
}

const SETTING = `--${PAYMENT.payment.flag} (${PAYMENT.payment.environment})`

/** The ways in which customers pay, from the file that the setting names. Fails with `InvalidSetting`. */
export const readPayment = Effect.fnUntraced(function*({ payment }: { readonly payment: string }) {
  if (payment === "") return undefined
  const content = yield* Effect.tryPromise({
    try: () => readFile(payment, "utf8"),
    catch: (cause) =>
      new InvalidSetting({
        message: `${SETTING} names ${payment}, which cannot be read: ${(cause as Error).message}. Correct the path or `
          + "its mode."
      })
  })
  const { readEntries } = yield* Effect.promise(() => import("./YamlEntries.ts"))
  return yield* Effect.try({
    try: () => howToPay(payment, readEntries(content)),
    catch: (cause) => cause as InvalidSetting
  })
})

export const layer = (settings: { readonly payment: string }): Layer.Layer<never, InvalidSetting> =>
  Layer.effect(Payment, readPayment(settings))
