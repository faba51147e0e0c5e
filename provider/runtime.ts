/**
 * The module that the stored provider texts import, in the dynamic host's process. It is loaded in every phase of every
 * `pulumi` run, so it stays small; it installs no signal listener, because the engine ends this process with SIGINT
 * after each phase.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { connect } from "./api/Api.ts"
import { DynamicHost, FunctionHost } from "./dynamic/DynamicHost.ts"
import { EngineConnection } from "./engine/EngineConnection.ts"
import { limitHeapGrowth } from "./engine/Host.ts"
import { instanceLifecycle } from "./instance/Instance.ts"
import { backupRestoreLifecycle, snapshotRestoreLifecycle } from "./restore/Restore.ts"
import { reverseDnsLifecycle } from "./reverse-dns/ReverseDns.ts"
import { snapshotLifecycle } from "./snapshot/Snapshot.ts"

/** The engine shows the output of this process, live and again in its summary. */
const print = (line: string): void => void process.stdout.write(`${line}\n`)

const end = (): never => process.exit(1)

/** The first argument of the process is the engine's address. */
const engine = new EngineConnection(process.argv[2], end)

const host = new DynamicHost(
  {
    info: (message) => print(`vps: ${message}`),
    warn: (message) => print(`vps: warning: ${message}`),
    progress: (message) => print(`vps: ${message}`),
    now: () => performance.timeOrigin + performance.now(),
    sleep: (ms) => sleep(ms),
    checkpoint: async () => {
      // Nothing more is sent for an engine that is no longer there to record the result.
      if (!(await engine.isAlive())) end()
    }
  },
  connect,
  limitHeapGrowth
)

export const instance = host.serve(instanceLifecycle)
export const reverseDns = host.serve(reverseDnsLifecycle)
export const snapshot = host.serve(snapshotLifecycle)
export const snapshotRestore = host.serve(snapshotRestoreLifecycle)
export const backupRestore = host.serve(backupRestoreLifecycle)

/** For the functions, in the program's own process. */
export const functions = new FunctionHost(connect)
