/** The lifecycle of a reverse DNS (PTR) record, which the API can set but neither read nor remove. */
import { explain, isEnded, sentence, UserError } from "../api/Errors.ts"
import {
  assertInstanceLetsGo,
  assertParentReachable,
  checkAttached,
  deadlineOf,
  diffPlanned,
  identifyParent,
  inputsOf,
  observeParent,
  readAttached
} from "../attached/Attached.ts"
import { nameOf, type Properties } from "../definition/Properties.ts"
import { canonicalAddress, type OutputValues } from "../definition/Definition.ts"
import { parentInState } from "../session/Identity.ts"
import type { Lifecycle } from "../session/Lifecycle.ts"
import type { Session } from "../session/Session.ts"
import { retryIdempotent } from "../waiting/Retry.ts"
import { asInputs, recordId, REVERSE_DNS, type ReverseDnsInputs } from "./Definition.ts"

/** It includes the host name, because the API cannot read the record. */
const IMPORT_ID = /^([1-9]\d*)\/([^/]+)\/([^/]+)$/

const outputsOf = (inputs: Properties, parent: Properties): Properties =>
  ({ ...inputs, userId: parent["userId"], ...parent }) satisfies OutputValues<typeof REVERSE_DNS>

export const reverseDnsLifecycle: Lifecycle = {
  check: (session, olds, news) =>
    checkAttached(session, REVERSE_DNS, olds, news, ({ instanceId, ip }) => ({
      identity: [instanceId, canonicalAddress(String(ip))],
      description: `the record of ${String(ip)}`
    })),
  diff: (session, _id, olds, news) => diffPlanned(session, REVERSE_DNS, recordId(asInputs(olds)), olds, news),
  create: async (session, properties) => {
    const inputs = asInputs(properties)
    const parent = await identifyParent(session, inputs, "no record was set")
    await setRecord(session, inputs, inputs.ptr)
    const id = recordId(inputs)
    session.retain(id, inputs.__urn)
    return { id, outputs: outputsOf(properties, parent) }
  },
  read: (session, _id, outputs) => readAttached(session, REVERSE_DNS, outputs),
  import: async (session, id, urn) => {
    const [, instanceId, ip, ptr] = IMPORT_ID.exec(id) ?? []
    if (instanceId === undefined || ip === undefined || ptr === undefined) {
      throw new UserError(
        `${nameOf(urn)}: a PTR record is imported as <instance>/<address>/<host name>, such as `
          + `12/192.0.2.7/web.example.com, with the host name, because the API cannot read the record`
      )
    }
    const known = { instanceId, ip, ptr, __urn: urn }
    const parent = await identifyParent(session, known, "no record was imported")
    session.host.warn(`${nameOf(urn)}: the API cannot read PTR records; assuming that ${ip} resolves to ${ptr}`)
    return { id: recordId(known), outputs: outputsOf(known, parent), inputs: known }
  },
  update: async (session, _id, olds, properties) => {
    const inputs = asInputs(properties)
    if (inputs.ptr !== olds["ptr"]) {
      if ((await observeParent(session, olds)) === undefined) {
        throw new UserError(
          `${
            nameOf(inputs.__urn)
          }: instance ${inputs.instanceId} no longer exists, so the PTR record of ${inputs.ip} was `
            + `not set. Run ${session.words.refresh} to remove both from the state.`
        )
      }
      await setRecord(session, inputs, inputs.ptr)
    }
    return { ...properties, ...parentInState(olds) }
  },
  // `up --replace` sets the record again and then deletes the old one, which is the same record.
  delete: async (session, _id, outputs) =>
    session.retainedBy(recordId(asInputs(outputs))) !== undefined ? undefined : await remove(session, outputs),
  planDelete: async (session, _id, outputs) => {
    const { __urn, ip, onDelete = "keep" } = asInputs(outputs)
    if (onDelete === "keep") warnOfKept(session, nameOf(__urn), ip)
  },
  inputsOf: (outputs) => inputsOf(REVERSE_DNS, outputs)
}

/** Idempotent, so it may be repeated after a lost answer. */
const setRecord = (session: Session, inputs: ReverseDnsInputs, ptr: string): Promise<unknown> => {
  const { __urn, instanceId, ip } = inputs
  return session.mutex.run(instanceId, async () => {
    const name = nameOf(__urn)
    try {
      const deadline = deadlineOf(session, inputs, "update")
      return await retryIdempotent(session, name, deadline, () => session.api.rdns(Number(instanceId), ip, ptr))
    } catch (error) {
      // The name may be a secret, which this host cannot see.
      const what = `${name}: the PTR record of ${ip} (instance ${instanceId}) was not set`
      throw new UserError(
        `${what}: ${sentence(explain(error))} Nothing was charged. Run ${session.words.update} to try again`,
        error
      )
    }
  })
}

const warnOfKept = ({ host, words }: Session, name: string, ip: string): void =>
  host.warn(
    `${name}: the API cannot remove PTR records, so ${ip} keeps its record. Set ${words.resetRecord} to set another `
      + "name instead"
  )

const remove = async (session: Session, outputs: Properties): Promise<void> => {
  const inputs = asInputs(outputs)
  const name = nameOf(inputs.__urn)
  const { onDelete = "keep" } = inputs
  await assertParentReachable(session, outputs)
  if (onDelete === "keep") return warnOfKept(session, name, inputs.ip)
  const instance = await observeParent(session, outputs)
  // The address of an instance that is gone or has ended no longer belongs to the account.
  if (instance === undefined || isEnded(instance.status)) return
  await assertInstanceLetsGo(session, outputs, instance, `the PTR record of ${inputs.ip}`)
  await setRecord(session, inputs, onDelete.resetTo)
  const input = session.words.input("resetTo")
  session.host.info(`${name}: ${inputs.ip} now has the name of ${input}; the API cannot remove PTR records`)
}
