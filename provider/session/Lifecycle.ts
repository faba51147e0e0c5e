/** The lifecycle of a resource, as every host calls it: plain JSON in and out. */
import type { Properties } from "../definition/Properties.ts"
import type { CheckResult } from "../definition/Definition.ts"
import type { Session } from "./Session.ts"

export interface Difference {
  readonly changed: ReadonlyArray<string>
  /** Those of `changed` that require a replacement. */
  readonly replaces: ReadonlyArray<string>
  /** The old resource must be deleted before the new one can be created. */
  readonly deleteBeforeReplace?: boolean
}

/** The observed resource, with the inputs that would lead to these outputs. */
export interface ReadResult {
  readonly outputs: Properties
  readonly inputs: Properties
}

export interface Lifecycle {
  /** `olds` are the inputs in the state; undefined for a new resource. */
  readonly check: (session: Session, olds: Properties | undefined, news: Properties) => Promise<CheckResult>
  /** `olds` are the outputs in the state, `news` checked inputs. */
  readonly diff: (session: Session, id: string, olds: Properties, news: Properties) => Promise<Difference>
  readonly create: (session: Session, inputs: Properties) => Promise<{ id: string; outputs: Properties }>
  /** Undefined when the resource is proved to be gone. */
  readonly read: (session: Session, id: string, outputs: Properties) => Promise<ReadResult | undefined>
  /** Reads a resource that is not in the state yet; undefined when there is none. Absent: it cannot be imported. */
  readonly import?: (session: Session, id: string, urn: string) => Promise<ReadResult & { id: string } | undefined>
  /**
   * The outputs of a create that are known before it, or of an update from these outputs; sends no requests other than
   * those of `check`, and one for the currency of a purchase that continues.
   */
  readonly previewOutputs?: (session: Session, inputs: Properties, olds?: Properties) => Promise<Properties>
  readonly update: (session: Session, id: string, olds: Properties, inputs: Properties) => Promise<Properties>
  readonly delete: (session: Session, id: string, outputs: Properties) => Promise<void>
  /**
   * Says what a delete will do, before anything is touched, for hosts that plan deletes. Absent: there is nothing to
   * say.
   * @throws UserError when the delete would be refused.
   */
  readonly planDelete?: (session: Session, id: string, outputs: Properties) => Promise<void>
  /** The inputs that lead to these outputs, for hosts whose state has outputs only. */
  readonly inputsOf: (outputs: Properties) => Properties
}
