/** The lifecycle of a reverse DNS (PTR) record. The API sets one and can neither read nor remove it. */
import {
  checkAttached,
  deadlineOf,
  diffAttached,
  inputsOf,
  observeOwner,
  observeParent,
  observeParentListed,
  retainPlanned
} from "../attached/Attached.ts"
import { isEnded } from "../api/InstanceStatus.ts"
import type { Lifecycle } from "../session/Lifecycle.ts"
import { retryIdempotent } from "../waiting/Retry.ts"
import { explain, UserError } from "../api/Errors.ts"
import { nameOf, type Properties } from "../definition/Properties.ts"
import type { Session } from "../session/Session.ts"
import { asInputs, REVERSE_DNS, type ReverseDnsInputs } from "./Definition.ts"

/** The name is part of it: nothing else tells what the record says. */
const IMPORT_ID = /^([1-9]\d*)\/([^/]+)\/([^/]+)$/

export const reverseDnsLifecycle: Lifecycle = {
  check: (session, olds, news) =>
    checkAttached(session, REVERSE_DNS, olds, news, ({ instanceId, ip }) => ({
      thing: [instanceId, ip],
      words: `the record of ${String(ip)}`
    })),
  diff: async (session, id, olds, news) => {
    const difference = diffAttached(REVERSE_DNS, olds, news)
    if (difference.replaces.length === 0) retainPlanned(session, id, news)
    return difference
  },
  create: async (session, properties) => {
    const inputs = asInputs(properties)
    const owner = await observeOwner(session, inputs, "no record was set")
    await setRecord(session, inputs, inputs.ptr)
    const id = `${inputs.instanceId}/${inputs.ip}`
    session.retain(id, inputs.__urn)
    return { id, outputs: { ...properties, userId: owner } }
  },
  read: async (session, _id, outputs) =>
    (await observeParentListed(session, outputs)) === undefined
      ? undefined
      : { outputs, inputs: inputsOf(REVERSE_DNS, outputs) },
  import: async (session, id, urn) => {
    const [, instanceId, ip, ptr] = IMPORT_ID.exec(id) ?? []
    if (instanceId === undefined || ip === undefined || ptr === undefined) {
      throw new UserError(
        `${nameOf(urn)}: a PTR record is imported as <instance>/<address>/<host name>, such as `
          + `12/192.0.2.7/web.example.com: the service can't read it back, so the import has to say what it is`
      )
    }
    const known = { instanceId, ip, ptr, __urn: urn }
    const owner = await observeOwner(session, known, "no record was taken over")
    session.host.warn(`${nameOf(urn)}: the service can't read a PTR record back; ${ip} is taken to resolve to ${ptr}`)
    return { id: `${instanceId}/${ip}`, outputs: { ...known, userId: owner }, inputs: known }
  },
  update: async (session, _id, olds, properties) => {
    const inputs = asInputs(properties)
    if (inputs.ptr !== olds["ptr"]) {
      if ((await observeParent(session, olds)) === undefined) {
        throw new UserError(
          `${nameOf(inputs.__urn)}: server ${inputs.instanceId} no longer exists, so ${inputs.ip} was not named. `
            + "Run `pulumi refresh` to take both out of the state."
        )
      }
      await setRecord(session, inputs, inputs.ptr)
    }
    return { ...properties, userId: olds["userId"] }
  },
  // `up --replace` sets the record anew and then deletes the old one: the same record.
  delete: async (session, id, outputs) =>
    session.retainedBy(id) !== undefined ? undefined : await remove(session, outputs)
}

/** Setting a name again sets the same name: so it may be repeated, whatever became of the first answer. */
const setRecord = (session: Session, inputs: ReverseDnsInputs, ptr: string): Promise<unknown> => {
  const { __urn, instanceId, ip } = inputs
  return session.mutex.run(instanceId, async () => {
    const name = nameOf(__urn)
    try {
      const deadline = deadlineOf(session, inputs, "update")
      return await retryIdempotent(session, name, deadline, () => session.api.rdns(Number(instanceId), ip, ptr))
    } catch (error) {
      const what = `${name}: the PTR record of ${ip} (server ${instanceId}) was not set to ${ptr}`
      throw new UserError(`${what}: ${explain(error)}. Nothing was charged; run \`pulumi up\` to try again`, {
        cause: error
      })
    }
  })
}

const remove = async (session: Session, outputs: Properties): Promise<void> => {
  const inputs = asInputs(outputs)
  const name = nameOf(inputs.__urn)
  const { onDelete = "keep" } = inputs
  if (onDelete === "keep") {
    return session.host.warn(
      `${name}: the service can't remove a PTR record, so ${inputs.ip} goes on resolving to ${inputs.ptr}; `
        + "onDelete: {resetTo: \"...\"} sets another name instead"
    )
  }
  const instance = await observeParent(session, outputs)
  // With the server gone, or ended, the address is no longer the account's to name.
  if (instance === undefined || isEnded(instance.status)) return
  await setRecord(session, inputs, onDelete.resetTo)
  session.host.info(`${name}: ${inputs.ip} resolves to ${onDelete.resetTo} now; the service can't remove a PTR record`)
}
