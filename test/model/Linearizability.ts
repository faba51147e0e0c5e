/**
 * True if a history of calls that overlapped could have come from one that did them one at a time, each at some moment
 * between its begin and its end (Wing and Gong's search, with Lowe's memory of what was tried before).
 */

/** One call as its caller saw it. The moments are any numbers that grow with time. */
export interface Call<Input, Output> {
  readonly invoked: number
  /** Infinity when no answer came: it may have been done at any later moment, or never. */
  readonly returned: number
  readonly input: Input
  /** Undefined when no answer came. */
  readonly output: Output | undefined
}

/** The possible outcomes of each call, if nothing else is in progress. */
export interface Model<State, Input, Output> {
  readonly initial: State
  /** The state after a call that answered so; undefined when it cannot have answered so. */
  readonly step: (state: State, input: Input, output: Output | undefined) => State | undefined
  /** The same for states that are the same. */
  readonly show: (state: State) => string
}

export type Verdict<Input, Output> =
  /** In which order the calls may have been done. */
  | { readonly linearizable: true; readonly order: ReadonlyArray<Call<Input, Output>> }
  /** The longest order that explains some calls, and the calls of which none can come next. */
  | {
    readonly linearizable: false
    readonly explained: ReadonlyArray<Call<Input, Output>>
    readonly stuck: ReadonlyArray<Call<Input, Output>>
  }

const isDone = (done: bigint, index: number): boolean => (done & (1n << BigInt(index))) !== 0n

/** Calls, in the order of their begin, that may come next: none that was answered before them is still to be done. */
const candidatesOf = (calls: ReadonlyArray<Call<unknown, unknown>>, done: bigint): ReadonlyArray<number> => {
  const candidates: Array<number> = []
  let firstReturn = Number.POSITIVE_INFINITY
  for (const [index, { invoked, returned }] of calls.entries()) {
    // A call that begins still later ends later, too.
    if (invoked >= firstReturn) break
    if (isDone(done, index)) continue
    candidates.push(index)
    firstReturn = Math.min(firstReturn, returned)
  }
  return candidates.filter((index) => calls[index]!.invoked < firstReturn)
}

interface Node<State> {
  readonly state: State
  /** One bit for each call that was done. */
  readonly done: bigint
  readonly index: number
  readonly length: number
  readonly before: Node<State> | undefined
}

const pathOf = <State>(node: Node<State>): ReadonlyArray<number> => {
  const path: Array<number> = []
  for (let at: Node<State> | undefined = node; at?.before !== undefined; at = at.before) path.unshift(at.index)
  return path
}

/** Looks for an order that explains every answer. Calls without an answer need not be in it. */
export const check = <State, Input, Output>(
  history: ReadonlyArray<Call<Input, Output>>,
  model: Model<State, Input, Output>
): Verdict<Input, Output> => {
  const calls = history.toSorted((one, other) => one.invoked - other.invoked)
  const answered = calls.reduce(
    (bits, { returned }, index) => Number.isFinite(returned) ? bits | (1n << BigInt(index)) : bits,
    0n
  )
  const tried = new Set<string>()
  let longest: Node<State> = { state: model.initial, done: 0n, index: -1, length: 0, before: undefined }
  const open: Array<Node<State>> = [longest]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if ((node.done & answered) === answered) {
      return { linearizable: true, order: pathOf(node).map((index) => calls[index]!) }
    }
    if (node.length > longest.length) longest = node
    // The first one continues top of the stack: most histories were done in the order of their begins.
    for (const index of candidatesOf(calls, node.done).toReversed()) {
      const { input, output } = calls[index]!
      const state = model.step(node.state, input, output)
      if (state === undefined) continue
      const done = node.done | (1n << BigInt(index))
      const seen = `${done.toString(36)} ${model.show(state)}`
      if (tried.has(seen)) continue
      tried.add(seen)
      open.push({ state, done, index, length: node.length + 1, before: node })
    }
  }
  return {
    linearizable: false,
    explained: pathOf(longest).map((index) => calls[index]!),
    stuck: candidatesOf(calls, longest.done).map((index) => calls[index]!)
  }
}
