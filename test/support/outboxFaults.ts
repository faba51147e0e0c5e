/** Replicas that send mails to a mail server which fails, or kills the one that sends, at a step of the session. */
import type { AddressInfo } from "node:net"
import { SMTPServer } from "smtp-server"
import { assert, onTestFinished } from "vitest"
import { readMail } from "./mailedLink.ts"
import { ask, startReplica } from "./replicas.ts"
import type { ServiceProcess } from "./serviceProcess.ts"
import { until } from "./until.ts"

/** The steps of one mail, in order. At the last one the server has taken it, and the sender may not know it. */
export const STEPS = ["greeting", "sender", "recipient", "text", "reply", "taken"] as const
type Step = typeof STEPS[number]

/** The replica that sends is killed, or waits for ever or for a while, or gets a reply with a code. */
export type Fault = "kill" | "hang" | "slow" | number

/** Longer than another replica needs to find a mail, and shorter than the server is waited for. */
const SLOW_MILLIS = 350

/** Short, so that a test sees a lease end; longer than a session of which each step times out. */
const LEASE_MILLIS = 2_500

const SETTINGS = {
  VPS_SERVICE_MAIL_LEASE_MILLIS: String(LEASE_MILLIS),
  VPS_SERVICE_MAIL_SERVER_MILLIS: "600",
  VPS_SERVICE_MAIL_RETRY_MILLIS: "20",
  VPS_SERVICE_MAIL_RETRY_MAX_MILLIS: "100",
  VPS_SERVICE_MAIL_PAUSE_MILLIS: "20",
  VPS_SERVICE_DATABASE_POLL_MILLIS: "100"
}

/** The service's longest delay between two attempts is 15 minutes. */
const ATTEMPTS_OF_A_DAY = 96

/** Longest wait for the answer to a purchase, in milliseconds: far less than the mail server is waited for. */
const PURCHASE_MILLIS = 5_000

type Done = (error?: Error) => void

/** A mail server with a port for each replica, so that a session says whose it is. */
export const startMailServer = async (ports: number) => {
  /** In the order in which they were taken. */
  const taken: Array<{ readonly id: string; readonly subject: string }> = []
  const refused = { count: 0 }
  let fault: { readonly step: Step; readonly kind: Fault; readonly isOnce: boolean } | undefined
  let kill: (replica: number) => void = () => undefined
  /** Continues with `done`, unless this is the step of the fault. */
  const pass = (step: Step, replica: number, done: Done): void => {
    if (fault?.step !== step) return done()
    const { isOnce, kind } = fault
    if (isOnce) fault = undefined
    refused.count++
    if (kind === "kill") return kill(replica)
    if (kind === "slow") return void setTimeout(done, SLOW_MILLIS)
    if (kind !== "hang") done(Object.assign(new Error("Not now"), { responseCode: kind }))
  }
  const listen = async (replica: number, port: number): Promise<SMTPServer> => {
    const server = new SMTPServer({
      authOptional: true,
      closeTimeout: 50,
      disabledCommands: ["STARTTLS"],
      onConnect: (_, done) => pass("greeting", replica, done),
      onMailFrom: (_, __, done) => pass("sender", replica, done),
      onRcptTo: (_, __, done) => pass("recipient", replica, done),
      onData: (stream, _, done) =>
        pass("text", replica, (refusal) => {
          let content = ""
          stream.on("data", (chunk) => content += chunk).on("end", () => {
            if (refusal !== undefined) return done(refusal)
            pass("reply", replica, (error) => {
              if (error !== undefined) return done(error)
              const { id, subject } = readMail(content)
              taken.push({ id, subject })
              done()
              pass("taken", replica, () => undefined)
            })
          })
        })
    })
    // A sender that is killed breaks its session.
    server.on("error", () => undefined)
    await new Promise<void>((resolve) => void server.listen(port, "127.0.0.1", resolve))
    return server
  }
  const close = (server: SMTPServer) => new Promise<void>((resolve) => server.close(() => resolve()))
  let servers = await Promise.all(Array.from({ length: ports }, (_, replica) => listen(replica, 0)))
  const numbers = servers.map(({ server }) => (server.address() as AddressInfo).port)
  const down = async (): Promise<void> => {
    await Promise.all(servers.map(close))
    servers = []
  }
  onTestFinished(down)
  return {
    taken,
    /** The number of sessions that met a fault. */
    refused,
    url: (replica: number) => `smtp://127.0.0.1:${numbers[replica]}`,
    down,
    up: async () => {
      servers = await Promise.all(numbers.map((port, replica) => listen(replica, port)))
    },
    fail: (step: Step, kind: Fault, isOnce = kind === "kill") => {
      fault = { step, kind, isOnce }
    },
    work: () => {
      fault = undefined
    },
    onKill: (act: (replica: number) => void) => {
      kill = act
    }
  }
}

/** Replicas on a database with the seed. */
export const startOutbox = async (database: string, replicas: number) => {
  const server = await startMailServer(replicas)
  const start = (replica: number): Promise<ServiceProcess> =>
    startReplica(database, { ...SETTINGS, VPS_SERVICE_SMTP_URL: server.url(replica) })
  const running = await Promise.all(Array.from({ length: replicas }, (_, replica) => start(replica)))
  let died = Promise.withResolvers<number>()
  server.onKill((replica) => {
    process.kill(running[replica]!.pid, "SIGKILL")
    died.resolve(replica)
  })
  const bought: Array<string> = []
  const restart = async (replica: number): Promise<void> => {
    await running[replica]!.end("SIGKILL")
    running[replica] = await start(replica)
  }
  /** Restarts the replica that died, if one did. */
  let restarted = Promise.resolve()
  /** Buys an instance; the answer must not wait for the mail server. Repeats a purchase whose replica was killed. */
  const buy = async (): Promise<void> => {
    const hostname = `mail-${bought.length + 1}`
    const order = { body: { service_id: 1, hostname }, headers: { "idempotency-key": hostname } }
    const send = async () => {
      const begin = performance.now()
      const answer = await ask(running[bought.length % replicas]!, "POST", "/instances", order)
      assert.isBelow(performance.now() - begin, PURCHASE_MILLIS)
      return answer
    }
    const { body, status } = await send().catch(async (cause: unknown) => {
      if (!(cause instanceof TypeError)) throw cause
      await restarted
      return send()
    })
    assert.strictEqual(status, 201, JSON.stringify(body))
    bought.push(hostname)
  }
  const waiting = async (): Promise<number> => {
    const page = await (await fetch(`${running[0]!.origin}/metrics`)).text()
    return Number(/^vps_mails_waiting (\d+)$/m.exec(page)![1])
  }
  return {
    server,
    buy,
    /** Kills the one that sends at a step, and starts it again. */
    killAt: async (step: Step): Promise<void> => {
      died = Promise.withResolvers()
      restarted = died.promise.then(restart)
      server.fail(step, "kill")
      await buy()
      await restarted
    },
    /** Kills all as soon as a purchase is acknowledged. */
    killAfterPurchase: async (): Promise<void> => {
      await buy()
      for (const replica of running.keys()) process.kill(running[replica]!.pid, "SIGKILL")
      await Promise.all([...running.keys()].map(restart))
    },
    /** Buys while the mail server is down for as many attempts as it is tried in a day. */
    buyWhileDown: async (): Promise<void> => {
      await server.down()
      const before = running.map(({ log }) => log().length)
      for (let count = 0; count < 3; count++) await buy()
      const attempts = () =>
        running.reduce(
          (sum, { log }, replica) => sum + log().slice(before[replica]).split("could not be sent").length - 1,
          0
        )
      await until(attempts, (count) => count >= ATTEMPTS_OF_A_DAY)
      await buy()
      await server.up()
    },
    /** Buys while each mail meets a fault, until many have. */
    buyWhile: async (step: Step, kind: Fault, times: number): Promise<void> => {
      server.fail(step, kind)
      const before = server.refused.count
      // Those that are sent meet it once, so that one is not enough.
      for (let count = 0; count < (kind === "slow" ? times : 1); count++) await buy()
      await until(() => server.refused.count - before, (met) => met >= times)
      await buy()
      server.work()
    },
    waiting,
    /**
     * The outcome, once no mail waits: purchases without their mail, and how often one came again, under the
     * same Message-ID: a mail with two of them is in `missing`, as is one that nothing explains.
     */
    outcome: async () => {
      await until(waiting, (count) => count === 0)
      const ids = new Map(server.taken.map(({ id, subject }) => [id, subject]))
      const subjects = bought.map((hostname, index) => `Your order of VPS S: ${hostname} (instance ${index + 1})`)
      const found = [...ids.values()]
      const missing = subjects.filter((subject) => found.filter((one) => one === subject).length !== 1)
      const strangers = found.filter((subject) => !subjects.includes(subject))
      return { missing: [...missing, ...strangers], repeated: server.taken.length - ids.size }
    }
  }
}
