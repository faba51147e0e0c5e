/** Lighthouse on pages of the panel, as on a phone: its own simulation of a slow network and a slow processor. */
import lighthouse from "lighthouse"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type BrowserContext, chromium } from "playwright-core"
import { ARGUMENTS, CHROMIUM, signIn } from "./browser.ts"
import { freePort } from "./port.ts"

const CATEGORIES = ["performance", "accessibility", "best-practices"] as const

/** ms without requests or work after which a page is complete; its live updates keep one request open. */
const QUIET_MILLIS = 300

/** The back and forward cache keeps no page with `cache-control: no-store`, and would be tried by another load. */
const SKIPPED = ["bf-cache", "full-page-screenshot", "screenshot-thumbnails", "final-screenshot"]

export interface Report {
  /** From 0 to 100. */
  readonly scores: Readonly<Record<typeof CATEGORIES[number], number>>
  /** The sum of Lighthouse's layout shifts; 0 if nothing moves. */
  readonly shift: number
  /** The audits that cost points, for the message of a test that fails. */
  readonly lost: ReadonlyArray<string>
}

export interface Auditor {
  /** Signs in by the link, in the browser's only profile. */
  readonly enter: (link: string) => Promise<void>
  readonly audit: (url: string) => Promise<Report>
  readonly close: () => Promise<void>
}

type Result = NonNullable<Awaited<ReturnType<typeof lighthouse>>>["lhr"]

/** Chromium now and then leaves the start of a load out of a trace; Lighthouse then says to run it again. */
const INCOMPLETE = "NO_NAVSTART"

const TRIES_MAX = 5

const reportOf = (lhr: Result): Report => {
  const score = (name: string) => Math.round(100 * (lhr.categories[name]?.score ?? 0))
  return {
    scores: {
      performance: score("performance"),
      accessibility: score("accessibility"),
      "best-practices": score("best-practices")
    },
    shift: lhr.audits["cumulative-layout-shift"]?.numericValue ?? Number.NaN,
    lost: Object.values(lhr.audits)
      .filter((audit) => audit.score !== null && audit.score < 0.9)
      .map((audit) => `${audit.id} ${audit.displayValue ?? ""}`.trim())
  }
}

const load = async (url: string, port: number): Promise<Result> => {
  const result = await lighthouse(url, {
    port,
    logLevel: "error",
    disableStorageReset: true,
    onlyCategories: [...CATEGORIES],
    skipAudits: SKIPPED,
    pauseAfterFcpMs: QUIET_MILLIS,
    pauseAfterLoadMs: QUIET_MILLIS,
    networkQuietThresholdMs: QUIET_MILLIS,
    cpuQuietThresholdMs: QUIET_MILLIS
  })
  if (result === undefined) throw new Error(`Lighthouse has no report of ${url}.`)
  return result.lhr
}

/** A browser of its own: Lighthouse controls it by a port, and every session stays. */
export const openAuditor = async (): Promise<Auditor> => {
  const profile = await mkdtemp(join(tmpdir(), "vps-lighthouse-"))
  const port = await freePort()
  const context: BrowserContext = await chromium.launchPersistentContext(profile, {
    executablePath: CHROMIUM,
    args: [...ARGUMENTS, `--remote-debugging-port=${port}`]
  })
  return {
    enter: async (link) => {
      const page = await context.newPage()
      await signIn({ context, page, problems: [] }, link)
      await page.close()
    },
    audit: async (url) => {
      for (let tries = 1;; tries++) {
        const lhr = await load(url, port)
        if (lhr.runtimeError === undefined) return reportOf(lhr)
        if (lhr.runtimeError.code !== INCOMPLETE || tries === TRIES_MAX) {
          throw new Error(`${url}: ${lhr.runtimeError.message}`)
        }
      }
    },
    close: async () => {
      await context.close()
      await rm(profile, { recursive: true, force: true })
    }
  }
}
