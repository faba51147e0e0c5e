/**
 * Returns a pure function that remembers its results, for at most `max` arguments. Then it forgets all of them, because
 * to track which ones are in use would cost more than to compute them again.
 */
export const memoize = <A, B extends string>(compute: (argument: A) => B, max: number): (argument: A) => B => {
  const results = new Map<A, B>()
  return (argument) => {
    const known = results.get(argument)
    if (known !== undefined) return known
    if (results.size >= max) results.clear()
    const result = compute(argument)
    results.set(argument, result)
    return result
  }
}
