/** A queue of future work: a heap, earliest first; within one time, in the order of insertion. */

/** A unit that dies and stalls as a whole: a process of the service, or the environment, which does neither. */
export interface SimulatedProcess {
  readonly name: string
  /** Once false, nothing of it ever continues: no finalizer, no timer, as after kill -9. */
  alive: boolean
  /** It does nothing before this moment, in epoch milliseconds, while time continues for all others. */
  stalledUntil: number
}

export interface Task {
  readonly proc: SimulatedProcess
  readonly run: () => void
  cancelled: boolean
}

interface Timer {
  readonly at: number
  readonly order: number
  readonly task: Task
}

const isEarlier = (one: Timer, other: Timer): boolean =>
  one.at < other.at || (one.at === other.at && one.order < other.order)

export class Timers {
  readonly #heap: Array<Timer> = []
  #count = 0

  /** Infinity when there is none. */
  get next(): number {
    while (this.#heap.length > 0 && (this.#heap[0]!.task.cancelled || !this.#heap[0]!.task.proc.alive)) this.#pop()
    return this.#heap[0]?.at ?? Number.POSITIVE_INFINITY
  }

  add(at: number, task: Task): void {
    const timer = { at, order: this.#count++, task }
    let index = this.#heap.length
    this.#heap.push(timer)
    while (index > 0) {
      const parent = (index - 1) >>> 1
      if (!isEarlier(timer, this.#heap[parent]!)) break
      this.#heap[index] = this.#heap[parent]!
      index = parent
    }
    this.#heap[index] = timer
  }

  /** The first that is due by then, which is taken out. */
  take(now: number): Task | undefined {
    return this.#heap.length > 0 && this.#heap[0]!.at <= now ? this.#pop() : undefined
  }

  #pop(): Task {
    const first = this.#heap[0]!
    const last = this.#heap.pop()!
    if (this.#heap.length > 0) this.#sink(last)
    return first.task
  }

  #sink(timer: Timer): void {
    let index = 0
    for (;;) {
      let child = 2 * index + 1
      if (child >= this.#heap.length) break
      if (child + 1 < this.#heap.length && isEarlier(this.#heap[child + 1]!, this.#heap[child]!)) child++
      if (!isEarlier(this.#heap[child]!, timer)) break
      this.#heap[index] = this.#heap[child]!
      index = child
    }
    this.#heap[index] = timer
  }
}
