/**
 * The code that Pulumi stores with every dynamic resource, and runs to read and delete it years later. Old states run
 * old texts: **every published text must stay loadable forever**, so `pulumi-vps/provider/runtime` always exports
 * `instance`, `reverseDns` and the others with these seven methods. A text is a constant, not a closure: 300 instances
 * then take 9 s instead of 23 s, and a changed implementation never shows as a change of a resource. A new text may be
 * added; a published one is never edited.
 */
const text = (resource: "instance" | "reverseDns" | "snapshot" | "snapshotRestore" | "backupRestore"): string =>
  "exports.handler=()=>{const c=n=>async(...a)=>(await import(\"pulumi-vps/provider/runtime\"))"
  + `.${resource}[n](...a);return Object.fromEntries(`
  + "[\"configure\",\"check\",\"diff\",\"create\",\"read\",\"update\",\"delete\"].map(n=>[n,c(n)]))};"

export const INSTANCE_TEXT = text("instance")
export const REVERSE_DNS_TEXT = text("reverseDns")
export const SNAPSHOT_TEXT = text("snapshot")
export const SNAPSHOT_RESTORE_TEXT = text("snapshotRestore")
export const BACKUP_RESTORE_TEXT = text("backupRestore")
