/** A service whose time is moved, with a real mail server and a browser: for the year of a customer. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import type { Browser, Page } from "playwright-core"
import { SMTPServer } from "smtp-server"
import type { AddressInfo } from "node:net"
import * as Effect from "effect/Effect"
import { launch, settled, signIn, type Visitor } from "./browser.ts"
import { adminOf, runCommand } from "./command.ts"
import { readMail } from "./mailedLink.ts"
import { openLink, PanelBrowser } from "./panel.ts"
import { paymentFlag } from "./payment.ts"
import { freePort } from "./port.ts"
import { query, startPostgres } from "./postgres.ts"
import { SECRET, seedDatabase } from "./replicas.ts"
import { type ServiceProcess, startServiceWith } from "./serviceProcess.ts"
import { until } from "./until.ts"
import { control, runVps } from "./vps.ts"

/** The zone of the host and of the customer's browser. */
const ZONE = "Europe/Berlin"

interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
}

/** A page that does not change for so long is complete. */
const STILL_MILLIS = 500

/** Undone after the test, the last first. */
type Undo = () => Promise<unknown> | void

const mailServer = async (undo: Array<Undo>) => {
  const mails: Array<Mail> = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onData: (stream, _, done) => {
      let content = ""
      stream.on("data", (chunk) => content += chunk).on("end", () => {
        const { subject, text, to } = readMail(content)
        mails.push({ to, subject, text })
        done()
      })
    }
  })
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
  undo.push(() => new Promise<void>((resolve) => server.close(() => resolve())))
  return { mails, url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}` }
}

/** The part that differs between the databases: moving the time, and making a deployment fail. */
interface Base {
  readonly service: ServiceProcess
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly admin: (...args: ReadonlyArray<string>) => Promise<any>
  /** Epoch milliseconds. */
  readonly setTime: (moment: number) => Promise<unknown>
  /** Buys something whose deployment fails. */
  readonly failing: (buy: () => Promise<unknown>) => Promise<unknown>
}

interface Options {
  readonly flags: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
  readonly undo: Array<Undo>
}

/** The emulator, whose clock is a control. */
const onSqlite = async ({ env, flags, undo }: Options): Promise<Base> => {
  const folder = mkdtempSync(join(tmpdir(), "pulumi-vps-year-"))
  const database = join(folder, "vps.db")
  const service = await startServiceWith({ env }, [...flags, "--emulator", "--database", database])
  undo.push(() => rmSync(folder, { recursive: true }), () => service.end())
  await control(service, "PUT", "/deploy", { mode: "instant" })
  const { json } = adminOf(database)
  return {
    service,
    admin: (...args) => json(...args, "--emulator"),
    setTime: async (moment) => {
      const { now } = await control(service, "GET", "/clock") as { readonly now: string }
      return control(service, "POST", "/clock", { advance_ms: moment - Date.parse(now) })
    },
    failing: async (buy) => {
      await control(service, "POST", "/faults", { operation: "driver.provision", driver: "rejected", count: 1 })
      await buy()
    }
  }
}

/** The service itself, which takes the time from its database: there, another function gives it. */
const CLOCK = `
CREATE TABLE test_clock (ahead interval NOT NULL);
INSERT INTO test_clock VALUES ('0');
CREATE FUNCTION clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE
  AS 'SELECT pg_catalog.clock_timestamp() + ahead FROM public.test_clock';
`

const onPostgres = async ({ env, flags, undo }: Options, begin: number): Promise<Base> => {
  const server = await startPostgres()
  undo.push(server.close)
  const database = await server.database()
  await seedDatabase(database)
  await query(CLOCK, database)
  await query(`ALTER DATABASE ${new URL(database).pathname.slice(1)} SET search_path = public, pg_catalog`, database)
  await query("INSERT INTO simulated_deploy (id, mode, value) VALUES (1, 'instant', 0)", database)
  const setTime = (moment: number) =>
    query(
      `UPDATE test_clock SET ahead = to_timestamp(${moment} / 1000.0) - pg_catalog.clock_timestamp()`,
      database
    )
  await setTime(begin)
  // The commands and the service have the same file of settings on a host.
  const settings = {
    ...env,
    VPS_SERVICE_DATABASE: database,
    VPS_SERVICE_SECRET: SECRET,
    // A jump is what the test does; each is adopted at the next check.
    VPS_SERVICE_CLOCK_JUMP_MILLIS: String(400 * 86_400_000),
    VPS_SERVICE_CLOCK_GAP_MILLIS: String(400 * 86_400_000),
    VPS_SERVICE_CLOCK_CHECK_MILLIS: "1000",
    VPS_SERVICE_DATABASE_POLL_MILLIS: "200"
  }
  const service = await startServiceWith({ env: settings }, flags)
  undo.push(() => service.end())
  return {
    service,
    admin: async (...args) => {
      const { code, stderr, stdout } = await runCommand(["admin", ...args, "-o", "json"], { env: settings })
      if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}: ${stderr}`)
      return JSON.parse(stdout)
    },
    setTime,
    failing: async (buy) => {
      const deploy = (mode: string, value: number) =>
        query(`UPDATE simulated_deploy SET mode = '${mode}', value = ${value}`, database)
      await deploy("after_ms", 1_500)
      await buy()
      const begun = () => query("UPDATE simulated_operations SET abandoned = 1 RETURNING key", database)
      await until(begun, (rows) => rows.length > 1)
      await setTimeout(2_000)
      await deploy("instant", 0)
    }
  }
}

/** Mails to the person at a sign-in, which this test makes before it reads pages. */
const SIGN_IN = /^(?:New sign-in to|Your link to) the panel/

/** A world at a moment, in epoch milliseconds. */
export const startWorld = async (on: "sqlite" | "postgres", begin: number) => {
  const undo: Array<Undo> = []
  const folder = mkdtempSync(join(tmpdir(), "pulumi-vps-year-"))
  undo.push(() => rmSync(folder, { recursive: true }))
  const { mails, url } = await mailServer(undo)
  const port = await freePort()
  const panel = `http://localhost:${port}`
  const options = {
    undo,
    env: {
      VPS_SERVICE_SMTP_URL: url,
      VPS_SERVICE_PANEL_URL: panel,
      VPS_SERVICE_TIME_ZONE: ZONE,
      VPS_SERVICE_PAYMENT: paymentFlag(folder).split("=")[1]!
    },
    flags: [`--port=${port}`]
  }
  const { admin, failing, service, setTime } = on === "sqlite"
    ? await onSqlite(options)
    : await onPostgres(options, begin)
  const browser: Browser = await launch()
  undo.push(() => browser.close())
  let now = begin
  const isIdle = async (): Promise<boolean> => {
    const page = await (await fetch(`${service.origin}/metrics`)).text()
    return /^vps_mails_waiting 0$/m.test(page) && !/^vps_tasks_open\{.*\} [1-9]/m.test(page)
  }
  /** Until nothing is due any more: on PostgreSQL, the service reads the clock and the queue first. */
  const settle = async (): Promise<void> => {
    await setTimeout(on === "sqlite" ? 300 : 1_800)
    await until(isIdle, Boolean, { millis: 20_000 })
  }
  const to = async (moment: number): Promise<void> => {
    now = moment
    await setTime(moment)
    await settle()
  }
  await to(begin)
  let read = 0
  const visitor = async (person: number): Promise<Visitor> => {
    const context = await browser.newContext({
      timezoneId: ZONE,
      locale: "en-US",
      viewport: { width: 1280, height: 860 }
    })
    await context.clock.setFixedTime(now)
    const page = await context.newPage()
    const one = { context, page, problems: [] }
    const { link } = await admin("people", "link", String(person))
    await signIn(one, link)
    return one
  }
  const textOf = async (page: Page, path: string): Promise<string> => {
    await page.goto(`${panel}/panel${path}`)
    await settled(page)
    const read = async (): Promise<string> => (await page.locator("main").innerText()).replaceAll(/\s+/g, " ")
    // Parts that come later have no placeholder: the banner, and names of images.
    let text = await read()
    await until(async () => {
      await setTimeout(STILL_MILLIS)
      const before = text
      text = await read()
      return text === before
    })
    return text
  }
  return {
    service,
    admin,
    failing,
    to,
    /** A person who accepts an invitation; returns the id. */
    join: async (...invitation: ReadonlyArray<string>): Promise<number> => {
      const { link } = await admin("people", "invite", ...invitation)
      const visitor = new PanelBrowser(panel)
      const { body } = await Effect.runPromise(openLink(visitor, link))
      return body.person.id
    },
    /** Those that came since the last call, without those about a sign-in. */
    newMails: async (): Promise<ReadonlyArray<Mail>> => {
      await settle()
      const found = mails.slice(read)
      read = mails.length
      return found.filter(({ subject }) => !SIGN_IN.test(subject))
    },
    /** The texts of pages, as a person sees them. */
    pages: async <Name extends string>(person: number, paths: Readonly<Record<Name, string>>) => {
      const { context, page } = await visitor(person)
      const texts: Partial<Record<Name, string>> = {}
      for (const name of Object.keys(paths) as Array<Name>) texts[name] = await textOf(page, paths[name])
      await context.close()
      return texts as Record<Name, string>
    },
    vpsAccount: async (apiKey: string): Promise<string> => {
      const env = { VPS_API_KEY: apiKey, VPS_BASE_URL: service.url, TZ: ZONE }
      const { stderr, stdout } = await runVps(["account"], { env })
      return stdout + stderr
    },
    end: async (): Promise<void> => {
      for (const one of undo.toReversed()) await one()
    }
  }
}
