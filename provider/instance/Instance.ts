/** The lifecycle of an Instance. */
import type { Instance } from "@pulumi-vps/sdk/client/Records"
import { explain, UserError } from "../api/Errors.ts"
import { nameOf, type Properties } from "../definition/Properties.ts"
import { identityOf } from "../session/Identity.ts"
import type { Lifecycle } from "../session/Lifecycle.ts"
import type { Session } from "../session/Session.ts"
import { createInstance, otherHolder } from "./Create.ts"
import { checkInstance } from "./Check.ts"
import { asInputs, type InstanceInputs } from "./Definition.ts"
import { acceptReplacement, deleteInstance, planDelete, sessionFacts } from "./Delete.ts"
import { changedInputs, differences, needsApiCalls } from "./Diff.ts"
import { describeDrift, importInstance } from "./Read.ts"
import { withChangedPlan, withIso } from "./PlanName.ts"
import { previewOutputs } from "./PreviewOutputs.ts"
import { interruptedSteps } from "./reconcile/CrashRecovery.ts"
import { reconcile } from "./reconcile/Reconcile.ts"
import { announceDeferred, previewUpdate } from "./reconcile/UpdatePreview.ts"
import { observeBootState } from "./reconcile/Work.ts"
import {
  declaredInputs,
  inputFrom,
  type InterruptedStep,
  type LastKnownState,
  lastKnownState,
  storedExtras,
  toInputs,
  toOutputs
} from "./state/Outputs.ts"
import { adoptedIdChanged, notFound, refunded } from "./state/Messages.ts"

export const instanceLifecycle: Lifecycle = {
  check: checkInstance,
  diff: async (session, id, olds, given) => {
    // The refresh before a destroy runs without `check`: it shows changes, and the destroy itself refuses.
    const planned = session.plannedUrns.has(String(given["__urn"]))
    const news = planned ? await withNames(session, id, olds, given) : given
    const difference = differences(id, olds, news)
    if (planned) await session.assertReachable(Number(id), identityOf(olds))
    const replaces = changedInputs(difference, "replaced")
    if (replaces.length > 0) await acceptReplacement(session, Number(id), olds, news)
    else {
      if (changedInputs(difference, "refused").includes("adoptInstanceId")) {
        throw new UserError(
          `${nameOf(news["__urn"])}: ${adoptedIdChanged(session.words, Number(id), news["adoptInstanceId"])}.`
        )
      }
      if (planned) {
        retain(session, id, String(news["__urn"]))
        announceDeferred(session, Number(id), olds, news, changedInputs(difference))
      }
      if (planned && (needsApiCalls(difference) || isInterrupted(olds))) {
        await session.preflight("vps:write", "changing an instance")
        await previewUpdate(session, Number(id), olds, news)
      }
      await session.renewalWarnings.checkState(nameOf(news["__urn"]), Number(id), olds)
    }
    return { changed: [...changedInputs(difference), ...pendingOutputs(session, olds, news)], replaces }
  },
  create: async (session, inputs) => createInstance(session, asInputs(await withChangedPlan(session, inputs))),
  read: async (session, id, outputs) => {
    const instance = await session.observeListed(Number(id), identityOf(outputs))
    if (instance === undefined) return undefined
    const name = nameOf(outputs["__urn"])
    if (instance.status === "failed") session.host.warn(`${name}: ${refunded(session.words, instance.id, outputs)}`)
    await session.renewalWarnings.check(name, instance, outputs)
    const inputs = asInputs({ ...outputs, rootPassword: inputFrom("rootPassword", outputs) })
    const state = await observeBootStateOrWarn(session, inputs, instance, {
      ...lastKnownState(outputs),
      ...sessionFacts(session, outputs, outputs["purchaseKey"])
    })
    // Earlier versions stored more; a refresh must not show fields that this version omits as removed.
    const found = { ...state, interrupted: await findInterruptedOrWarn(session, name, instance, outputs) }
    const observed = { ...toOutputs(inputs, instance, found, declaredInputs(outputs)), ...storedExtras(outputs) }
    await describeDrift(session, name, instance.id, outputs, observed)
    return { outputs: observed, inputs: toInputs(observed) }
  },
  import: importInstance,
  previewOutputs,
  update: async (session, id, olds, inputs) =>
    updateInstance(session, Number(id), olds, asInputs(await withChangedPlan(session, inputs))),
  delete: (session, id, outputs) => deleteInstance(session, Number(id), outputs),
  planDelete: (session, id, outputs) => planDelete(session, Number(id), outputs),
  inputsOf: toInputs
}

/** The inputs with the ids of what the program sets by name. */
const withNames = async (session: Session, id: string, olds: Properties, news: Properties): Promise<Properties> =>
  await withIso(session, Number(id), olds, await withChangedPlan(session, news))

/** @throws UserError when another resource has, found, or adopted the instance in the same run. */
const retain = (session: Session, id: string, urn: string): void => {
  session.retain(id, urn)
  const other = otherHolder(session, id, urn)
  if (other === undefined) return
  throw new UserError(
    `${nameOf(urn)}: instance ${id} belongs to this resource, but ${other} adopts it, too. Set another generation of `
      + `${other}, or remove its ${session.words.input("adoptInstanceId")}. Nothing was changed.`
  )
}

/** The fields that the list does not show; an unreachable instance must not fail the whole refresh. */
const observeBootStateOrWarn = async (
  session: Session,
  inputs: InstanceInputs,
  { id }: Instance,
  state: LastKnownState
): Promise<LastKnownState> => {
  try {
    return await observeBootState(session, id, inputs, state)
  } catch (error) {
    session.host.warn(
      `${nameOf(inputs.__urn)}: boot mode and ISO of instance ${id} could not be read; the state keeps the last known `
        + `values: ${explain(error)}`
    )
    return state
  }
}

const isInterrupted = (olds: Properties): boolean => lastKnownState(olds).interrupted !== undefined

/** The mark of an update that was cut off; an unavailable feed must not fail the whole refresh. */
const findInterruptedOrWarn = async (
  session: Session,
  name: string,
  instance: Instance,
  outputs: Properties
): Promise<ReadonlyArray<InterruptedStep> | undefined> => {
  const recorded = lastKnownState(outputs)
  try {
    const steps = await interruptedSteps(session, instance, outputs["powerState"], recorded)
    if (steps !== undefined) {
      session.host.warn(
        `${name}: an update of instance ${instance.id} was interrupted. The next ${session.words.update} completes it`
      )
    }
    return steps
  } catch (error) {
    session.host.warn(
      `${name}: whether an update of instance ${instance.id} was interrupted is not known: ${explain(error)}`
    )
    return recorded.interrupted
  }
}

/**
 * Outputs that show an unfinished create. The engine calls `update` after a partial create by itself, but not after a
 * refresh in between. The same for an update that was cut off.
 */
const pendingOutputs = (session: Session, olds: Properties, news: Properties): ReadonlyArray<string> => {
  if (olds["status"] === "failed" || isInterrupted(olds)) return ["status"]
  const waitFor = asInputs(news).waitFor ?? session.settings.waitFor
  return waitFor !== "none" && olds["ipv4"] === undefined ? ["ipv4"] : []
}

const updateInstance = (
  session: Session,
  id: number,
  olds: Properties,
  inputs: InstanceInputs
): Promise<Properties> => {
  session.retain(String(id), inputs.__urn)
  return session.mutex.run(String(id), async () => {
    const instance = await session.observe(id, identityOf(olds))
    if (instance === undefined) throw new UserError(`${nameOf(inputs.__urn)}: ${notFound(session.words, id)}.`)
    const before = lastKnownState(olds)
    const state = {
      ...before,
      ...sessionFacts(session, { ...inputs }, before.purchaseKey),
      ...recordedChanges(before, inputs)
    }
    return await reconcile(session, {
      inputs,
      instance,
      state,
      previous: { state: before, power: "as it was" },
      phase: "update"
    })
  })
}

/** The effect of a changed program on facts that only the state has. */
const recordedChanges = (state: LastKnownState, inputs: InstanceInputs): LastKnownState => {
  const { os, sshPublicKey } = inputs
  const installed = state.sshPublicKey
  const pending = sshPublicKey !== undefined && sshPublicKey !== installed ? sshPublicKey : undefined
  return { os: state.os ?? os, pendingSshKey: pending }
}
