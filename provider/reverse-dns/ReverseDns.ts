/** The lifecycle of a reverse DNS (PTR) record. The API sets one and can neither read nor remove it. */
import { problemsOf } from "../Fields.ts"
import { isEnded } from "../instance/Policy.ts"
import type { Lifecycle } from "../Lifecycle.ts"
import { deadlineIn, patiently } from "../Patience.ts"
import { Problem, statusOf } from "../Problem.ts"
import { nameOf, present, type Properties } from "../Properties.ts"
import type { Session } from "../Session.ts"
import { asInputs, normalised, REVERSE_DNS, type ReverseDnsInputs } from "./Args.ts"
import { differences } from "./Diff.ts"

/** ms; a server that is still being deployed takes no record, and deploying takes minutes. */
const TIMEOUT = 600_000

export const reverseDnsLifecycle: Lifecycle = {
  check: async (_session, _olds, news) => {
    const inputs = present(normalised(news))
    return { inputs, failures: problemsOf(REVERSE_DNS, inputs) }
  },
  diff: async (session, id, olds, news) => {
    const difference = differences(olds, news)
    if (difference.replaces.length === 0) session.keep(id, String(news["__urn"]))
    return difference
  },
  create: async (session, properties) => {
    const inputs = asInputs(properties)
    const owner = await ownerOf(session, inputs)
    await setRecord(session, inputs, inputs.ptr)
    const id = `${inputs.instanceId}/${inputs.ip}`
    session.keep(id, inputs.__urn)
    return { id, outputs: { ...properties, userId: owner } }
  },
  read: async (session, _id, outputs) => {
    const instance = await session.observe(Number(outputs["instanceId"]), userIdIn(outputs))
    if (instance === undefined) return undefined
    const { instanceId, ip, onDelete, ptr, __urn } = outputs
    return { outputs, inputs: present({ instanceId, ip, ptr, onDelete, __urn }) }
  },
  update: async (session, _id, olds, properties) => {
    const inputs = asInputs(properties)
    if (inputs.ptr !== olds["ptr"]) await setRecord(session, inputs, inputs.ptr)
    return { ...properties, userId: olds["userId"] }
  },
  // `up --replace` sets the record anew and then deletes the old one: the same record.
  delete: async (session, id, outputs) =>
    session.keeperOf(id) !== undefined ? undefined : await remove(session, outputs)
}

const userIdIn = (outputs: Properties): number | undefined =>
  typeof outputs["userId"] === "number" ? outputs["userId"] : undefined

/** The account that a later 404 is judged by. */
const ownerOf = async (session: Session, { __urn, instanceId }: ReverseDnsInputs): Promise<number> => {
  try {
    return (await session.api.get(Number(instanceId))).user_id
  } catch (error) {
    if (statusOf(error) !== 404) throw error
    const { account_id, email } = await session.account()
    throw new Problem(
      `${nameOf(__urn)}: there is no server ${instanceId} in account ${account_id} (${email}); no record was set.`
    )
  }
}

const setRecord = (session: Session, { __urn, instanceId, ip }: ReverseDnsInputs, ptr: string): Promise<unknown> =>
  session.mutex.run(
    instanceId,
    () =>
      patiently(
        session,
        nameOf(__urn),
        deadlineIn(session, TIMEOUT),
        () => session.api.rdns(Number(instanceId), ip, ptr)
      )
  )

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
  const instance = await session.observe(Number(inputs.instanceId), userIdIn(outputs))
  // With the server gone, or ended, the address is no longer the account's to name.
  if (instance === undefined || isEnded(instance.status)) return
  await setRecord(session, inputs, onDelete.resetTo)
  session.host.info(`${name}: ${inputs.ip} resolves to ${onDelete.resetTo} now; the service can't remove a PTR record`)
}
