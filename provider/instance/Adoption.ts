/** Adopting an existing instance with `adoptInstanceId`: it is adopted unchanged, or not at all. */
import type { Instance } from "#sdk/client/Records"
import { UserError } from "../api/Errors.ts"
import { isUnknown, nameOf } from "../definition/Properties.ts"
import { installedDetails } from "../purchase/InstanceDetails.ts"
import type { Session } from "../session/Session.ts"
import type { InstanceInputs } from "./Definition.ts"
import { adoptionMismatch } from "./state/Messages.ts"

/** @throws UserError when the account has no such instance, or when it differs from the inputs. */
export const findAdoptable = async (
  session: Session,
  inputs: InstanceInputs,
  id: number,
  find: (id: number) => Promise<Instance>
): Promise<Instance> => {
  const name = nameOf(inputs.__urn)
  const instance = await find(id).catch((error: unknown) =>
    session.failNotFound(error, name, id, ". Set adoptInstanceId to an existing instance.")
  )
  const refusal = refusedAdoption(instance, inputs)
  if (refusal !== undefined) throw new UserError(`${name}: ${refusal}.`)
  return instance
}

const refusedAdoption = (instance: Instance, { os: wanted, serviceId }: InstanceInputs): string | undefined => {
  const { id, order, status } = instance
  if (status === "failed" || status === "deleted") return `instance ${id} is ${status}. It was not adopted`
  if (!isUnknown(serviceId) && order.service_id !== serviceId) {
    return adoptionMismatch(instance, "plan", order.service_id, serviceId)
  }
  const { os } = installedDetails(instance)
  const differs = os !== undefined && wanted !== undefined && !isUnknown(wanted) && os !== wanted
  return differs ? adoptionMismatch(instance, "system", os, wanted) : undefined
}

/** The name of another resource of this stack that has the instance; the first resource that claims it has it. */
export const otherHolder = (session: Session, id: number | string, urn: string): string | undefined => {
  const other = session.claim(`instance ${id}`, urn)
  return other === undefined ? undefined : nameOf(other)
}
