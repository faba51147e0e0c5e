/** The file that says how customers pay, and its texts for one account. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { readConfigFile } from "#service/config/ConfigFile"
import { readPayment } from "#service/config/Payment"
import { paymentOf, payParagraphs, paySentence } from "#service/domain/HowToPay"
import { temporaryFolder } from "../support/temporary.ts"

const written = Effect.fnUntraced(function*(text: string) {
  const payment = join(yield* temporaryFolder, "payment.yaml")
  writeFileSync(payment, text)
  return payment
})

const read = (text: string) => Effect.flatMap(written(text), (payment) => readPayment({ payment }))

/** The messages of a refused file, without its folder. */
const refusal = Effect.fnUntraced(function*(text: string) {
  const payment = yield* written(text)
  const { message } = yield* Effect.flip(readPayment({ payment }))
  return message.replaceAll(payment, "F")
})

const WHOLE = `bank: |
  Nordwind GmbH
  IBAN DE02 1203 0000 0000 2020 51
reference: VPS-{account}
page: https://pay.example.test/{account}?sum={amount}&in={currency}&ref={reference}
`

const payer = { accountId: 7, currency: "EUR", missing: 398 }

describe("how to pay", () => {
  it.live("is read from a file, with the account, the amount and the currency in their places", () =>
    Effect.scoped(Effect.gen(function*() {
      const howToPay = (yield* read(WHOLE))!
      const page = "https://pay.example.test/7?sum=3.98&in=EUR&ref=VPS-7"
      assert.deepStrictEqual(paymentOf(howToPay, payer), {
        bank: "Nordwind GmbH\nIBAN DE02 1203 0000 0000 2020 51",
        reference: "VPS-7",
        page
      })
      assert.strictEqual(
        paySentence(howToPay, payer),
        ` 3.98 EUR are missing. To pay them, open ${page}, or transfer them with the reference VPS-7 to: `
          + "Nordwind GmbH, IBAN DE02 1203 0000 0000 2020 51."
      )
      const text = payParagraphs(howToPay, payer)
      assert.include(text, `To pay 3.98 EUR, open this page:\n\n  ${page}\n`)
      assert.include(text, "Or transfer it with the reference VPS-7 to:\n\n  Nordwind GmbH\n  IBAN DE02")
    })))

  it.live("has an empty amount where nothing is missing, and keeps its place where the page fills it in", () =>
    Effect.scoped(Effect.gen(function*() {
      const howToPay = (yield* read("page: https://pay.example.test/?a={account}&sum={amount}"))!
      assert.strictEqual(
        paymentOf(howToPay, { ...payer, missing: 0 }).page,
        "https://pay.example.test/?a=7&sum="
      )
      const { missing: _, ...account } = payer
      assert.strictEqual(paymentOf(howToPay, account).page, "https://pay.example.test/?a=7&sum={amount}")
      assert.strictEqual(paymentOf(howToPay, payer).reference, "7")
      for (const say of [payParagraphs, paySentence]) {
        assert.strictEqual(say(howToPay, { ...payer, missing: 0 }), "")
        assert.strictEqual(say(undefined, payer), "")
      }
    })))

  const REFUSED: ReadonlyArray<readonly [text: string, says: string]> = [
    [
      "page: https://pay.example.test/?a={acount}",
      "F:1: page contains {acount}, which is not a placeholder. Use {account}, "
    ],
    ["page: https://pay.example.test/?a={account", "F:1: page contains {, which is not a placeholder."],
    ["page: https://pay.example.test/?sum={amount}", "F:1: page should contain {account} or {reference}, because you"],
    ["page: http://pay.example.test/{account}", "F:1: page should be an address like https://"],
    ["page: https://pay .example.test/{account}", "F:1: page should be an address like https://"],
    ["bank: x\nreference: VPS", "F:2: reference should contain {account}, because you could not assign the payments"],
    [
      "bank: x\nreference: \"{account} {amount}\"",
      "F:2: reference contains {amount}, which is not a placeholder. Use {account}"
    ],
    [
      "bank: x\nreference: A-REFERENCE-THAT-IS-TOO-LONG-{account}",
      "F:2: reference has 38 characters. Shorten it to 25"
    ],
    ["bank: 12", "F:1: bank should be a text. Put it in quotes."],
    ["bank: \"a\\u202eb\"", "F:1: bank contains invisible characters. Remove them."],
    ["bank: x\niban: y", "F:2: iban is none of bank, reference, and page. Correct or remove this line."],
    ["reference: VPS-{account}", "F: has neither bank nor page. Add one of them"],
    ["bank: [", "F:1: Flow sequence"]
  ]
  it.live.each(REFUSED)("is refused at the start if it is %j", ([text, says]) =>
    Effect.scoped(Effect.gen(function*() {
      assert.include(yield* refusal(text), says)
    })))

  it.live("is refused if the file is missing, and its path is relative to the config file", () =>
    Effect.scoped(Effect.gen(function*() {
      const { message } = yield* Effect.flip(readPayment({ payment: "/nowhere.yaml" }))
      assert.include(message, "--payment (VPS_SERVICE_PAYMENT) names /nowhere.yaml, which cannot be read: ENOENT")
      const folder = yield* temporaryFolder
      const path = join(folder, "service.yaml")
      writeFileSync(path, "payment: payment.yaml\n")
      const texts = yield* Effect.promise(() => readConfigFile(path))
      assert.strictEqual(texts["VPS_SERVICE_PAYMENT"]?.text, join(folder, "payment.yaml"))
      assert.isUndefined(yield* readPayment({ payment: "" }))
    })))
})
