/** The output of the quickstart: numbered steps with their duration, and the real output of the tools. */

/** An error that is printed as one sentence, without a stack trace. */
export class QuickstartError extends Error {}

const seconds = (since: number): string => `${((performance.now() - since) / 1000).toFixed(1)} s`

/** Prints the output of a tool, set apart from the runner's own. */
export const printIndented = (text: string): void => {
  for (const line of text.replace(/\s+$/, "").split("\n")) console.log(`   │ ${line}`.trimEnd())
}

export const print = (text: string): void => console.log(`   ${text}`)

/** Numbers the steps and prints their durations. */
export const makeSteps = (total: number) => {
  const began = performance.now()
  let number = 0
  return {
    step: async <A>(title: string, work: () => Promise<A>): Promise<A> => {
      const start = performance.now()
      console.log(`\n${++number}/${total}  ${title}`)
      const result = await work()
      console.log(`   (${seconds(start)})`)
      return result
    },
    total: (): string => seconds(began)
  }
}
