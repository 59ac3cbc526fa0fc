import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { OperatorError } from '../operator-error.js';
import { BackupFile, type BackupHeader, FORMAT, writeBackupFile } from './backup-file.js';
import type { BackupRecord } from './backup-records.js';

const HEADER: BackupHeader = {
  service_version: '0.1.0',
  created_at: '2026-01-02T03:04:05.000Z',
  postgres: '18.4',
  migrations: [],
  encryption_keys: ['0123456789'],
  includes_encryption_keys: true,
  tables: [],
  partitions: [],
};
const RECORDS: BackupRecord[] = [
  { kind: 'keys', keys: ['a secret'] },
  { kind: 'rows', data: Buffer.from('1\tüöä\n2\t\\N\n') },
  { kind: 'end', tables: 0, rows: 0 },
];

describe('a backup file', () => {
  let folder: string;
  let file: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'backup-file-'));
    file = join(folder, 'monday.backup');
  });

  afterEach(() => rm(folder, { recursive: true }));

  async function* given(records: readonly BackupRecord[] = RECORDS): AsyncGenerator<BackupRecord, void> {
    yield* records;
  }

  async function readAll(backup: BackupFile): Promise<BackupRecord[]> {
    const found: BackupRecord[] = [];
    for await (const record of backup.records()) found.push(record);
    return found;
  }

  async function refusal(change: (bytes: Buffer) => Buffer): Promise<string> {
    await writeBackupFile(file, HEADER, given());
    await writeFile(file, change(await readFile(file)));
    const error: unknown = await BackupFile.open(file).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    await rm(file);
    if (!(error instanceof OperatorError)) throw new Error(`It was not refused: ${String(error)}`);
    return error.message;
  }

  it('is read as it was written, and only its owner can read it', async () => {
    await writeBackupFile(file, HEADER, given());
    const backup = await BackupFile.open(file);
    expect(backup.header).toEqual(HEADER);
    expect(await readAll(backup)).toEqual(RECORDS);
    expect(await backup.keys()).toEqual(['a secret']);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['monday.backup']);
  });

  it('begins with a version and a header that can be read without unpacking, and shows no key there', async () => {
    await writeBackupFile(file, HEADER, given());
    const [first, second] = (await readFile(file, 'latin1')).split('\n');
    expect(first).toBe(`agent-automation-service backup ${FORMAT}`);
    expect(JSON.parse(second ?? '')).toEqual(HEADER);
  });

  it('never replaces a file, and leaves nothing behind when it cannot be completed', async () => {
    await writeFile(file, 'precious');
    await expect(writeBackupFile(file, HEADER, given())).rejects.toThrow(/exists\. Choose another name/);
    expect(await readFile(file, 'utf8')).toBe('precious');
    await rm(file);
    async function* failing(): AsyncGenerator<BackupRecord, void> {
      yield* RECORDS;
      throw new Error('the database is gone');
    }
    await expect(writeBackupFile(file, HEADER, failing())).rejects.toThrow('the database is gone');
    expect(await readdir(folder)).toEqual([]);
  });

  it('replaces what a killed backup has left', async () => {
    await writeFile(`${file}.partial`, 'half');
    await writeBackupFile(file, HEADER, given());
    expect(await readdir(folder)).toEqual(['monday.backup']);
    expect(await readAll(await BackupFile.open(file))).toEqual(RECORDS);
  });

  it('is refused wherever it is cut', async () => {
    await writeBackupFile(file, HEADER, given());
    const { size } = await stat(file);
    await rm(file);
    for (let length = 0; length < size; length += 7)
      expect(await refusal((bytes) => bytes.subarray(0, length))).toMatch(/incomplete|not a backup/);
    expect(await refusal((bytes) => bytes.subarray(0, -1))).toMatch(/incomplete: its end is missing\. Copy it again/);
  });

  it('is refused when any byte has changed', async () => {
    await writeBackupFile(file, HEADER, given());
    const { size } = await stat(file);
    await rm(file);
    for (let position = 0; position < size; position += 5) {
      const flip = (bytes: Buffer) => {
        bytes.writeUInt8(bytes.readUInt8(position) ^ 4, position);
        return bytes;
      };
      expect(await refusal(flip)).toMatch(/was changed|not a backup|incomplete|newer release/);
    }
    const addition = (bytes: Buffer) => Buffer.concat([bytes.subarray(0, -72), Buffer.from('x'), bytes.subarray(-72)]);
    expect(await refusal(addition)).toMatch(/was changed after it was made/);
  });

  it('of a newer format is refused with what to do, and so is another file', async () => {
    const newer = (bytes: Buffer) =>
      Buffer.from(bytes.toString('latin1').replace('backup 1\n', 'backup 2\n'), 'latin1');
    expect(await refusal(newer)).toMatch(/format 2 of a newer release.*Update this installation/);
    expect(await refusal(() => Buffer.from('PGDMP\nsomething else\n'))).toMatch(/not a backup of this service/);
    await expect(BackupFile.open(join(folder, 'none'))).rejects.toThrow(/none does not exist\. Give the path/);
  });
});
