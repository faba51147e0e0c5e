/** The calls about one resource, translated into calls of its lifecycle. */
import type * as Messages from "@pulumi/pulumi/proto/provider_pb.js"
import { explain, PartialCreateError, UserError } from "../api/Errors.ts"
import { isHidden, nameOf, type Properties, TIMEOUT } from "../definition/Properties.ts"
import type { CheckResult, Definition } from "../definition/Definition.ts"
import type { Session } from "../session/Session.ts"
import { previewCreate, previewUpdate, stableOutputs } from "../definition/Preview.ts"
import { detailsOf, toMessage } from "./Differences.ts"
import { INSTANCE } from "../instance/Definition.ts"
import {
  BadRequest,
  decode,
  type Decoded,
  empty,
  encode,
  partialCreateErrorOf,
  provider,
  type Secrecy,
  secrecyOf
} from "./Proto.ts"
import type { Plugin } from "./Plugin.ts"
import type { Redaction } from "../engine/Redaction.ts"
import { otherInState, removeFromState } from "../session/Stack.ts"
import { instanceLifecycle } from "../instance/Instance.ts"
import { BACKUP_RESTORE, SNAPSHOT_RESTORE } from "../restore/Definition.ts"
import { backupRestoreLifecycle, snapshotRestoreLifecycle } from "../restore/Restore.ts"
import { REVERSE_DNS } from "../reverse-dns/Definition.ts"
import { reverseDnsLifecycle } from "../reverse-dns/ReverseDns.ts"
import type { Lifecycle } from "../session/Lifecycle.ts"
import { SNAPSHOT } from "../snapshot/Definition.ts"
import { snapshotLifecycle } from "../snapshot/Snapshot.ts"

// Refuses to import an instance that another resource of the stack manages.

/**
 * The engine checks what it has read for an import, and not what it has read for a program's `get`. Its requests to
 * read are the same for both.
 * @throws UserError when another resource of the stack has the instance; warns when the stack cannot be exported.
 */
const assertNotHeld = async (session: Session, urn: string): Promise<void> => {
  const instance = session.readAsNew.get(urn)
  if (instance === undefined) return
  const { id } = instance
  const other = await otherInState(session, urn, instance, "Run `pulumi preview`: it fails if one does.")
  if (other === undefined) return
  const holder = nameOf(other.urn)
  throw new UserError(
    `${nameOf(urn)}: instance ${id} is already managed by ${holder} in this stack, and was not imported. To give `
      + `${holder} another name, set the option aliases. To manage the instance with this resource instead, `
      + `${removeFromState(holder)} first.`
  )
}

// The resources of the plugin by their type token.

export interface Registration {
  readonly definition: Definition
  readonly lifecycle: Lifecycle
  /** Names of the properties that are always secret. */
  readonly secrets: ReadonlyArray<string>
}

const register = (definition: Definition, lifecycle: Lifecycle): readonly [string, Registration] => {
  const all = Object.entries({ ...definition.inputs, ...definition.outputs })
  const secrets = all.filter(([, { secret }]) => secret === true).map(([name]) => name)
  // The program's value, where another one is set.
  return [`vps:index:${definition.name}`, { definition, lifecycle, secrets: [...secrets, "__rootPassword"] }]
}

const REGISTRY: ReadonlyMap<string, Registration> = new Map([
  register(INSTANCE, instanceLifecycle),
  register(SNAPSHOT, snapshotLifecycle),
  register(REVERSE_DNS, reverseDnsLifecycle),
  register(SNAPSHOT_RESTORE, snapshotRestoreLifecycle),
  register(BACKUP_RESTORE, backupRestoreLifecycle)
])

/** The type in urn:pulumi:<stack>::<project>::<types of the parents>$<type>::<name>; undefined for any other text. */
const typeIn = (urn: string): string | undefined => {
  const [begin = "", , types, ...name] = urn.split("::")
  // Only a name may contain two colons.
  return begin.startsWith("urn:pulumi:") && name.join("::") !== "" ? types?.split("$").at(-1) : undefined
}

/** @throws BadRequest for a text that is not a URN, and for an unknown type. */
const registrationFor = (urn: string): Registration => {
  const type = typeIn(urn)
  if (type === undefined) throw new BadRequest(`invalid URN: ${JSON.stringify(urn)}`)
  const found = REGISTRY.get(type)
  if (found !== undefined) return found
  throw new BadRequest(`unknown resource type ${type}; the types are ${[...REGISTRY.keys()].join(", ")}`)
}

/** The engine's timeouts are in seconds, and 0 means none. */
const MS = 1_000

const timed = (seconds: number): Properties => seconds > 0 ? { [TIMEOUT]: Math.round(seconds * MS) } : {}

const isEmpty = ({ plain }: Decoded): boolean => Object.keys(plain).length === 0

/** The outputs in the state, with the properties that every request repeats for the lifecycles. */
const inState = (outputs: Decoded, inputs: Decoded, urn: string): Properties => ({
  __declared: Object.keys(inputs.plain).filter((name) => !isHidden(name)),
  ...outputs.plain,
  __urn: urn
})

const idOf = (request: { getId: () => string }): string => {
  const id = request.getId()
  if (id === "") throw new BadRequest("the request has no resource id")
  return id
}

interface Call extends Registration {
  readonly session: Session
  readonly urn: string
}

export class Resources {
  readonly #plugin: Plugin

  constructor(plugin: Plugin) {
    this.#plugin = plugin
  }

  /** Attributes the messages during a call to its resource. */
  async #on<A>(peer: string, urn: string, work: (call: Call) => Promise<A>): Promise<A> {
    const call = { ...registrationFor(urn), session: this.#plugin.session(peer), urn }
    return await this.#plugin.host.runFor(urn, () => work(call))
  }

  /** The properties of a message; its secrets will be in no message to the user. */
  #decode(message: Parameters<typeof decode>[0]): Decoded {
    const decoded = decode(message)
    this.#plugin.host.redaction.add(decoded.texts)
    return decoded
  }

  check(request: Messages.CheckRequest, peer: string): Promise<Messages.CheckResponse> {
    return this.#on(peer, request.getUrn(), async ({ lifecycle, secrets, session, urn }) => {
      const olds = this.#decode(request.getOlds())
      const news = this.#decode(request.getNews())
      const visible = Object.entries(news.plain).filter(([name]) => !isHidden(name))
      const own: Properties = { ...Object.fromEntries(visible), __urn: urn }
      await assertNotHeld(session, urn)
      const { failures, inputs } = await lifecycle.check(session, isEmpty(olds) ? undefined : olds.plain, own)
        // The engine prints a failure, unlike an error, with its resource.
        .catch((error: unknown): CheckResult => ({
          inputs: own,
          failures: [{ property: "", reason: explain(error) }]
        }))
      const answer = new provider.CheckResponse()
      answer.setInputs(encode(inputs, secrecyOf(secrets, news)))
      answer.setFailuresList(failures.map(({ property, reason }) => {
        const failure = new provider.CheckFailure()
        // The engine prints the value of the property that a failure names, which must not be a secret.
        failure.setProperty(news.secrets.has(property) ? "" : property)
        failure.setReason(this.#plugin.host.redaction.redact(reason))
        return failure
      }))
      return answer
    })
  }

  diff(request: Messages.DiffRequest, peer: string): Promise<Messages.DiffResponse> {
    return this.#on(peer, request.getUrn(), async ({ definition, lifecycle, session, urn }) => {
      const oldInputs = this.#decode(request.getOldInputs())
      const olds = inState(this.#decode(request.getOlds()), oldInputs, urn)
      const news = { ...decode(request.getNews()).plain, __urn: urn }
      const difference = await lifecycle.diff(session, idOf(request), olds, news)
      const { DIFF_NONE, DIFF_SOME } = provider.DiffResponse.DiffChanges
      const answer = new provider.DiffResponse()
      answer.setChanges(difference.changed.length === 0 ? DIFF_NONE : DIFF_SOME)
      answer.setDiffsList([...difference.changed])
      answer.setReplacesList([...difference.replaces])
      answer.setDeletebeforereplace(difference.deleteBeforeReplace ?? false)
      answer.setStablesList([...stableOutputs(definition, olds)])
      answer.setHasdetaileddiff(true)
      const details = answer.getDetaileddiffMap()
      for (const detail of detailsOf(difference, oldInputs.plain, olds, news)) {
        details.set(detail.path, toMessage(detail))
      }
      return answer
    })
  }

  create(request: Messages.CreateRequest, peer: string): Promise<Messages.CreateResponse> {
    return this.#on(peer, request.getUrn(), async ({ definition, lifecycle, secrets, session, urn }) => {
      const properties = this.#decode(request.getProperties())
      const secrecy = secrecyOf(secrets, properties)
      const inputs = { ...properties.plain, __urn: urn }
      const answer = new provider.CreateResponse()
      if (request.getPreview()) {
        const known = await lifecycle.previewOutputs?.(session, inputs) ?? {}
        answer.setProperties(encode(previewCreate(definition, inputs, known), secrecy))
        return answer
      }
      const { id, outputs } = await asPartialCreate(
        secrecy,
        this.#plugin.host.redaction,
        () => lifecycle.create(session, { ...inputs, ...timed(request.getTimeout()) })
      )
      answer.setId(id)
      answer.setProperties(encode(outputs, secrecy))
      return answer
    })
  }

  /** Reads a resource of the state, or, for an import and for `get`, one that is not in the state yet. */
  read(request: Messages.ReadRequest, peer: string): Promise<Messages.ReadResponse> {
    return this.#on(peer, request.getUrn(), async ({ definition, lifecycle, secrets, session, urn }) => {
      const id = idOf(request)
      const olds = this.#decode(request.getProperties())
      const inputs = this.#decode(request.getInputs())
      const isNew = Object.keys(olds.plain).every((name) => definition.outputs[name] === undefined)
      if (isNew && lifecycle.import === undefined) {
        throw new BadRequest(`${definition.name} is an action and cannot be imported`)
      }
      const found = isNew
        ? await lifecycle.import?.(session, id, urn)
        : await lifecycle.read(session, id, inState(olds, inputs, urn))
      if (found !== undefined && isNew && definition === INSTANCE) {
        session.retain(id, urn)
        session.readAsNew.set(urn, { id: Number(id), userId: found.outputs["userId"] })
      }
      const answer = new provider.ReadResponse()
      // An empty id means that the resource does not exist.
      if (found === undefined) return answer
      const secrecy = secrecyOf(secrets, olds, inputs)
      answer.setId("id" in found ? found.id as string : id)
      // A refresh must not show fields that this version omits as removed.
      answer.setProperties(encode(found.outputs, secrecy, olds.plain))
      answer.setInputs(encode(found.inputs, secrecy, inputs.plain))
      return answer
    })
  }

  update(request: Messages.UpdateRequest, peer: string): Promise<Messages.UpdateResponse> {
    return this.#on(peer, request.getUrn(), async ({ definition, lifecycle, secrets, session, urn }) => {
      const id = idOf(request)
      const olds = this.#decode(request.getOlds())
      const news = this.#decode(request.getNews())
      const secrecy = secrecyOf(secrets, olds, news)
      const inputs = { ...news.plain, __urn: urn }
      const answer = new provider.UpdateResponse()
      if (request.getPreview()) {
        const known = await lifecycle.previewOutputs?.(session, inputs, olds.plain) ?? {}
        answer.setProperties(encode({ ...previewUpdate(definition, olds.plain, inputs), ...known }, secrecy))
        return answer
      }
      const before = inState(olds, this.#decode(request.getOldInputs()), urn)
      const update = () => lifecycle.update(session, id, before, { ...inputs, ...timed(request.getTimeout()) })
      answer.setProperties(encode(await asPartialCreate(secrecy, this.#plugin.host.redaction, update), secrecy))
      return answer
    })
  }

  delete(request: Messages.DeleteRequest, peer: string): Promise<object> {
    return this.#on(peer, request.getUrn(), async ({ lifecycle, session, urn }) => {
      const outputs = { ...decode(request.getProperties()).plain, __urn: urn, ...timed(request.getTimeout()) }
      await lifecycle.delete(session, idOf(request), outputs)
      return new empty.Empty()
    })
  }
}

/** Turns a partial create into the error by which the engine stores it, with its secrets marked. */
const asPartialCreate = async <A>(secrecy: Secrecy, redaction: Redaction, work: () => Promise<A>): Promise<A> => {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof PartialCreateError)) throw error
    throw partialCreateErrorOf(error, error.reasons.map(redaction.redact), secrecy)
  }
}
