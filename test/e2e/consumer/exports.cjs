/** Says how many exports an entry has when it is required. */
process.stdout.write(String(Object.keys(require(process.argv[2] ?? "")).length))
