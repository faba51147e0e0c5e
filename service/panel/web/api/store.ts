/** A value that components observe. */
import { useEffect, useState } from "preact/hooks"

export interface Store<T> {
  readonly get: () => T
  readonly set: (value: T) => void
  readonly subscribe: (listener: () => void) => () => void
}

export const makeStore = <T>(initial: T): Store<T> => {
  let value = initial
  const listeners = new Set<() => void>()
  return {
    get: () => value,
    set: (next) => {
      if (Object.is(next, value)) return
      value = next
      for (const listener of listeners) listener()
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    }
  }
}

/** The value in a component, which is rendered again when it changes. */
export const useStore = <T>(store: Store<T>): T => {
  const value = store.get()
  const [, render] = useState(0)
  useEffect(() => {
    const again = () => render((count) => count + 1)
    // It may have changed between the render and this subscription.
    if (!Object.is(store.get(), value)) again()
    return store.subscribe(again)
  }, [store])
  return value
}
