/** The lifecycle of a reverse DNS (PTR) record. The API sets one and can neither read nor remove it. */
import {
  attachedDifference,
  checkAttached,
  deadlineOf,
  inputsOf,
  keepPlanned,
  ownerOf,
  parentOf,
  parentSeen
} from "../attached/Attached.ts"
import { isEnded } from "../instance/DeletionPolicy.ts"
import type { Lifecycle } from "../session/Lifecycle.ts"
import { patiently } from "../waiting/Retry.ts"
import { explain, Problem } from "../api/Errors.ts"
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
    const difference = attachedDifference(REVERSE_DNS, olds, news)
    if (difference.replaces.length === 0) keepPlanned(session, id, news)
    return difference
  },
  create: async (session, properties) => {
    const inputs = asInputs(properties)
    const owner = await ownerOf(session, inputs, "no record was set")
    await setRecord(session, inputs, inputs.ptr)
    const id = `${inputs.instanceId}/${inputs.ip}`
    session.keep(id, inputs.__urn)
    return { id, outputs: { ...properties, userId: owner } }
  },
  read: async (session, _id, outputs) =>
    (await parentSeen(session, outputs)) === undefined
      ? undefined
      : { outputs, inputs: inputsOf(REVERSE_DNS, outputs) },
  adopt: async (session, id, urn) => {
    const [, instanceId, ip, ptr] = IMPORT_ID.exec(id) ?? []
    if (instanceId === undefined || ip === undefined || ptr === undefined) {
      throw new Problem(
        `${nameOf(urn)}: a PTR record is imported as <instance>/<address>/<host name>, such as `
          + `12/192.0.2.7/web.example.com: the service can't read it back, so the import has to say what it is`
      )
    }
    const known = { instanceId, ip, ptr, __urn: urn }
    const owner = await ownerOf(session, known, "no record was taken over")
    session.host.warn(`${nameOf(urn)}: the service can't read a PTR record back; ${ip} is taken to resolve to ${ptr}`)
    return { id: `${instanceId}/${ip}`, outputs: { ...known, userId: owner }, inputs: known }
  },
  update: async (session, _id, olds, properties) => {
    const inputs = asInputs(properties)
    if (inputs.ptr !== olds["ptr"]) {
      if ((await parentOf(session, olds)) === undefined) {
        throw new Problem(
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
    session.keeperOf(id) !== undefined ? undefined : await remove(session, outputs)
}

/** Setting a name again sets the same name: so it may be repeated, whatever became of the first answer. */
const setRecord = (session: Session, inputs: ReverseDnsInputs, ptr: string): Promise<unknown> => {
  const { __urn, instanceId, ip } = inputs
  return session.mutex.run(instanceId, async () => {
    const name = nameOf(__urn)
    try {
      const deadline = deadlineOf(session, inputs, "update")
      return await patiently(session, name, deadline, () => session.api.rdns(Number(instanceId), ip, ptr))
    } catch (error) {
      const what = `${name}: the PTR record of ${ip} (server ${instanceId}) was not set to ${ptr}`
      throw new Problem(`${what}: ${explain(error)}. Nothing was charged; run \`pulumi up\` to try again`, {
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
  const instance = await parentOf(session, outputs)
  // With the server gone, or ended, the address is no longer the account's to name.
  if (instance === undefined || isEnded(instance.status)) return
  await setRecord(session, inputs, onDelete.resetTo)
  session.host.info(`${name}: ${inputs.ip} resolves to ${onDelete.resetTo} now; the service can't remove a PTR record`)
}
