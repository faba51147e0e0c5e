/** Lighthouse, as on a phone, on every page: nothing jumps, and the scores are high. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { CUSTOMER_PATHS, OPERATOR_PATHS } from "../../.config/panelPaths.ts"
import { hasChromium } from "../support/browser.ts"
import { type Auditor, openAuditor, type Report } from "../support/lighthouse.ts"
import { type StartedPanel, startPanel } from "../support/panelService.ts"

/** Lighthouse calls less "good". */
const SHIFT_MAX = 0.1
const SCORE_MIN = 95

/** Other tests that run at the same time count as work of the page: the best of a few loads is the page's own. */
const LOADS_MAX = 4

const PUBLIC_PATHS = ["/panel/sign-in", "/panel/invitation"]

/** On which the banner about the wallet, which is not known at first, would move everything. */
const WITHOUT_MONEY = ["/panel/instances", "/panel/wallet", "/panel/instances/1/overview"]

describe.skipIf(!hasChromium)("pages in Lighthouse", () => {
  let auditor: Auditor
  let panel: StartedPanel
  const start = async (role?: "customer" | "operator") => {
    auditor = await openAuditor()
    if (role !== undefined) await auditor.enter(await panel.link(role))
  }
  beforeAll(async () => {
    panel = await startPanel()
    await panel.buy(3)
  })
  afterAll(() => panel?.stop())

  /** Everything that is wrong with a page. */
  const review = async (path: string): Promise<ReadonlyArray<string>> => {
    const reports: Array<Report> = []
    do {
      reports.push(await auditor.audit(panel.origin + path))
    } while (reports.at(-1)!.scores.performance < SCORE_MIN && reports.length < LOADS_MAX)
    const { lost, scores } = reports.at(-1)!
    return [
      ...reports.filter(({ shift }) => !(shift < SHIFT_MAX)).map(({ shift }) => `shifts by ${shift}`),
      ...Object.entries(scores).filter(([, score]) => score < SCORE_MIN)
        .map(([category, score]) => `${category} ${score}: ${lost.join(", ")}`)
    ]
  }

  describe("for everyone", () => {
    beforeAll(() => start())
    afterAll(() => auditor?.close())
    it.each(PUBLIC_PATHS)("%s does not jump, and has high scores", async (path) => {
      assert.deepStrictEqual(await review(path), [])
    })
  })

  describe("of a customer", () => {
    beforeAll(() => start("customer"))
    afterAll(() => auditor?.close())
    it.each(CUSTOMER_PATHS)("%s does not jump, and has high scores", async (path) => {
      assert.deepStrictEqual(await review(path), [])
    })
    describe("whose wallet does not pay for what is due", () => {
      beforeAll(() => panel.setBalance(1))
      it.each(WITHOUT_MONEY)("%s does not jump, and has high scores", async (path) => {
        assert.deepStrictEqual(await review(path), [])
      })
    })
  })

  describe("of an operator", () => {
    beforeAll(() => start("operator"))
    afterAll(() => auditor?.close())
    it.each(OPERATOR_PATHS)("%s does not jump, and has high scores", async (path) => {
      assert.deepStrictEqual(await review(path), [])
    })
  })
})
