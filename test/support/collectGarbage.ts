/**
 * Loaded into a process that is started with --expose-gc: on SIGUSR2 it collects its garbage and says on standard
 * error what is left, in bytes.
 */
declare const gc: () => void

process.on("SIGUSR2", () => {
  // Twice: what has a finalizer is freed by the second.
  gc()
  gc()
  const { heapUsed, rss } = process.memoryUsage()
  process.stderr.write(`${JSON.stringify({ heapUsed, rss })}\n`)
})
