import fc from 'fast-check';

import { OperatorError } from '../operator-error.js';
import { type BackupRecord, readRecords, recordBytes } from './backup-records.js';

const record = fc.oneof(
  fc.uint8Array({ maxLength: 300 }).map((data): BackupRecord => ({ kind: 'rows', data: Buffer.from(data) })),
  fc.array(fc.string()).map((keys): BackupRecord => ({ kind: 'keys', keys })),
  fc.nat().map((rows): BackupRecord => ({ kind: 'tableEnd', rows })),
);

async function* inPieces(bytes: Buffer, length: number): AsyncGenerator<Buffer, void> {
  for (let start = 0; start < bytes.length; start += length) yield bytes.subarray(start, start + length);
}

async function readAll(bytes: Buffer, length = 7): Promise<BackupRecord[]> {
  const found: BackupRecord[] = [];
  for await (const each of readRecords(inPieces(bytes, length))) found.push(each);
  return found;
}

const bytesOf = (records: readonly BackupRecord[]) => Buffer.concat(records.flatMap(recordBytes));

describe('the records of a backup', () => {
  it('are read as they were written, in whatever pieces they arrive', async () => {
    const property = fc.asyncProperty(fc.array(record), fc.integer({ min: 1, max: 400 }), async (records, length) => {
      expect(await readAll(bytesOf(records), length)).toEqual(records);
    });
    await fc.assert(property);
  });

  it('are refused when the last one is cut or a type is unknown', async () => {
    const bytes = bytesOf([{ kind: 'tableEnd', rows: 1 }]);
    await expect(readAll(bytes.subarray(0, -1))).rejects.toBeInstanceOf(OperatorError);
    await expect(readAll(Buffer.concat([Buffer.from('?'), bytes.subarray(1)]))).rejects.toBeInstanceOf(OperatorError);
    await expect(readAll(Buffer.from([0x52, 0xff, 0xff, 0xff, 0xff]))).rejects.toBeInstanceOf(OperatorError);
  });
});
