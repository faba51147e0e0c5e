/** A resource as both hosts call it: host-neutral, plain JSON in and out. */
import type { CheckResult } from "../definition/Validation.ts"
import type { Properties } from "../definition/Properties.ts"
import type { Session } from "./Session.ts"

export interface Difference {
  readonly changed: ReadonlyArray<string>
  /** Of those, what cannot be changed in place. */
  readonly replaces: ReadonlyArray<string>
  /** The old one must go before the new one can come. */
  readonly deleteBeforeReplace?: boolean
}

export interface Lifecycle {
  /** `olds` are the inputs in state; undefined when the resource is to be created. */
  readonly check: (session: Session, olds: Properties | undefined, news: Properties) => Promise<CheckResult>
  /** `olds` are the outputs in state, `news` checked inputs. */
  readonly diff: (session: Session, id: string, olds: Properties, news: Properties) => Promise<Difference>
  readonly create: (session: Session, inputs: Properties) => Promise<{ id: string; outputs: Properties }>
  /** Undefined when the resource is proved to be gone. */
  readonly read: (
    session: Session,
    id: string,
    outputs: Properties
  ) => Promise<{ outputs: Properties; inputs: Properties } | undefined>
  /**
   * What stands under this id, for a state that knows nothing of it yet. Absent: it can't be imported. Undefined when
   * there is no such thing.
   */
  readonly import?: (
    session: Session,
    id: string,
    urn: string
  ) => Promise<{ id: string; outputs: Properties; inputs: Properties } | undefined>
  /** Outputs of a create that can be known before it is carried out; asks for nothing but what `check` asked for. */
  readonly previewOutputs?: (session: Session, inputs: Properties) => Promise<Properties>
  readonly update: (session: Session, id: string, olds: Properties, inputs: Properties) => Promise<Properties>
  readonly delete: (session: Session, id: string, outputs: Properties) => Promise<void>
}
