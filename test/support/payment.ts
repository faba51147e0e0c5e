/** A host's way to be paid, for tests. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"

const TEXT = `bank: |
  Nordwind GmbH
  IBAN DE02 1203 0000 0000 2020 51
reference: VPS-{account}
page: https://pay.nordwind.test/?account={account}&amount={amount}&currency={currency}
`

/** The address of its page for account 1 and an amount. */
export const payPage = (amount: string) => `https://pay.nordwind.test/?account=1&amount=${amount}&currency=EUR`

/** The flag that sets it. */
export const paymentFlag = (folder: string): string => {
  const path = join(folder, "payment.yaml")
  writeFileSync(path, TEXT)
  return `--payment=${path}`
}
