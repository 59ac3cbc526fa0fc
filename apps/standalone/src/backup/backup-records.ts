import { OperatorError } from '../operator-error.js';

export interface BackupTable {
  schema: string;
  name: string;
  columns: string[];
}

export interface BackupPartition {
  table: string;
  name: string;
  bound: string;
}

export interface BackupSequence {
  schema: string;
  name: string;
  /** The last value, as a string because it may exceed 2^53. */
  value: string;
}

/**
 * A backup consists of these records in this order:
 * - `keys`, if the backup includes the encryption keys;
 * - for each table: `table`, any number of `rows`, and `tableEnd`;
 * - `sequences`;
 * - for each file of a workspace, unless its bytes are left out: `file`, any number of `bytes`, and `fileEnd`;
 * - `end`.
 */
export type BackupRecord =
  | { kind: 'keys'; keys: string[] }
  | { kind: 'table'; table: BackupTable }
  /** It may begin and end within a row. */
  | { kind: 'rows'; data: Buffer }
  | { kind: 'tableEnd'; rows: number }
  | { kind: 'sequences'; sequences: BackupSequence[] }
  | { kind: 'file'; id: string }
  /** A part of an encrypted file. */
  | { kind: 'bytes'; data: Buffer }
  | { kind: 'fileEnd'; bytes: number }
  | { kind: 'end'; tables: number; rows: number };

const LENGTH_BYTES = 4;
const ROWS = 0x52;
const BYTES = 0x42;
const JSON_RECORD = 0x4a;
/** A record contains at most one message of Postgres, which has at most 1 GiB. */
const MAX_BYTES = 2 ** 30;

/** Encodes a record: one byte for the type (`R` for rows, `B` for bytes, `J` for JSON), four bytes for the length, and the content. */
export function recordBytes(record: BackupRecord): Buffer[] {
  const [type, content] = encoded(record);
  const head = Buffer.alloc(1 + LENGTH_BYTES);
  head.writeUInt8(type);
  head.writeUInt32BE(content.length, 1);
  return [head, content];
}

function encoded(record: BackupRecord): [number, Buffer] {
  if (record.kind === 'rows') return [ROWS, record.data];
  if (record.kind === 'bytes') return [BYTES, record.data];
  return [JSON_RECORD, Buffer.from(JSON.stringify(record))];
}

export async function* readRecords(chunks: AsyncIterable<Buffer>): AsyncGenerator<BackupRecord, void> {
  let pending: Buffer[] = [];
  let size = 0;
  let needed = 1 + LENGTH_BYTES;
  for await (const chunk of chunks) {
    pending.push(chunk);
    size += chunk.length;
    if (size < needed) continue;
    let bytes = Buffer.concat(pending);
    for (let length = lengthOf(bytes); bytes.length >= length; length = lengthOf(bytes)) {
      yield parseRecord(bytes.subarray(0, length));
      bytes = bytes.subarray(length);
    }
    pending = [bytes];
    size = bytes.length;
    needed = lengthOf(bytes);
  }
  if (size > 0) throw damaged();
}

/** If the header of this record is incomplete, returns the length of the header. */
function lengthOf(bytes: Buffer): number {
  if (bytes.length < 1 + LENGTH_BYTES) return 1 + LENGTH_BYTES;
  const length = bytes.readUInt32BE(1);
  if (length > MAX_BYTES) throw damaged();
  return 1 + LENGTH_BYTES + length;
}

function parseRecord(bytes: Buffer): BackupRecord {
  const data = bytes.subarray(1 + LENGTH_BYTES);
  if (bytes[0] === ROWS) return { kind: 'rows', data };
  if (bytes[0] === BYTES) return { kind: 'bytes', data };
  if (bytes[0] === JSON_RECORD) return JSON.parse(data.toString('utf8')) as BackupRecord;
  throw damaged();
}

function damaged(): OperatorError {
  return new OperatorError('The content of the backup cannot be read. Use another backup.');
}
