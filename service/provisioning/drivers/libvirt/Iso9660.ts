/** A disc image (ISO 9660) with a few small files in one directory, in memory: the data of a machine's first boot. */

const SECTOR = 2_048
/** Sectors before the content: 16 of the system, 2 descriptors, 2 path tables, the directory. */
const SYSTEM_SECTORS = 16
const PATH_TABLE_LITTLE = 18
const PATH_TABLE_BIG = 19
const DIRECTORY = 20
const CONTENT = 21
const PATH_TABLE_BYTES = 10

const both16 = (buffer: Buffer, at: number, value: number): void => {
  buffer.writeUInt16LE(value, at)
  buffer.writeUInt16BE(value, at + 2)
}

const both32 = (buffer: Buffer, at: number, value: number): void => {
  buffer.writeUInt32LE(value, at)
  buffer.writeUInt32BE(value, at + 4)
}

const RECORD_BYTES = 33
const IS_DIRECTORY = 2

const record = (id: Buffer, sector: number, bytes: number, isDirectory: boolean): Buffer => {
  const buffer = Buffer.alloc(RECORD_BYTES + id.length + (id.length % 2 === 0 ? 1 : 0))
  buffer[0] = buffer.length
  both32(buffer, 2, sector)
  both32(buffer, 10, bytes)
  // 1 January 2026.
  buffer.set([126, 1, 1, 0, 0, 0, 0], 18)
  buffer[25] = isDirectory ? IS_DIRECTORY : 0
  both16(buffer, 28, 1)
  buffer[32] = id.length
  id.copy(buffer, RECORD_BYTES)
  return buffer
}

const sectorsOf = (body: Buffer): number => Math.max(1, Math.ceil(body.length / SECTOR))

const root = (id: number): Buffer => record(Buffer.from([id]), DIRECTORY, SECTOR, true)

const describe = (image: Buffer, label: string, sectors: number): void => {
  const primary = image.subarray(SYSTEM_SECTORS * SECTOR)
  primary[0] = 1
  primary.write("CD001", 1)
  primary[6] = 1
  primary.fill(" ", 8, 72)
  primary.write(label, 40)
  both32(primary, 80, sectors)
  both16(primary, 120, 1)
  both16(primary, 124, 1)
  both16(primary, 128, SECTOR)
  both32(primary, 132, PATH_TABLE_BYTES)
  primary.writeUInt32LE(PATH_TABLE_LITTLE, 140)
  primary.writeUInt32BE(PATH_TABLE_BIG, 148)
  root(0).copy(primary, 156)
  primary.fill(" ", 190, 813)
  for (const at of [813, 830, 847, 864]) primary.write("0000000000000000", at)
  primary[881] = 1
  const end = image.subarray((SYSTEM_SECTORS + 1) * SECTOR)
  end[0] = 255
  end.write("CD001", 1)
  end[6] = 1
}

const pathTables = (image: Buffer): void => {
  const little = image.subarray(PATH_TABLE_LITTLE * SECTOR)
  little[0] = 1
  little.writeUInt32LE(DIRECTORY, 2)
  little.writeUInt16LE(1, 6)
  const big = image.subarray(PATH_TABLE_BIG * SECTOR)
  big[0] = 1
  big.writeUInt32BE(DIRECTORY, 2)
  big.writeUInt16BE(1, 6)
}

/** The image of files by their names in lower case. */
export const iso9660 = (label: string, files: Readonly<Record<string, string>>): Buffer => {
  const contents = Object.entries(files).toSorted(([one], [other]) => one < other ? -1 : 1)
    .map(([name, text]) => ({ name, body: Buffer.from(text) }))
  let next = CONTENT
  const placed = contents.map(({ body, name }) => {
    const sector = next
    next += sectorsOf(body)
    return { body, sector, entry: record(Buffer.from(`${name.toUpperCase()}.;1`), sector, body.length, false) }
  })
  const image = Buffer.alloc(next * SECTOR)
  describe(image, label, next)
  pathTables(image)
  Buffer.concat([root(0), root(1), ...placed.map(({ entry }) => entry)]).copy(image, DIRECTORY * SECTOR)
  for (const { body, sector } of placed) body.copy(image, sector * SECTOR)
  return image
}
