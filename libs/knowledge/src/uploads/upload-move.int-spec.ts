import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FilesModule } from '@app/files';
import { Clock, newId, systemClock } from '@app/kernel';
import { CryptoModule } from '@app/platform/crypto';
import { DatabaseModule } from '@app/platform/database';
import { createLogger, ObservabilityModule } from '@app/platform/observability';
import { Test, type TestingModule } from '@nestjs/testing';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/postgres.js';
import { settingsModule } from '../../../../test/support/settings-module.js';
import { KnowledgeScene } from '../testing/knowledge-scene.js';
import { UploadBytesService } from './upload-bytes.service.js';
import { UploadMoveService } from './upload-move.service.js';
import { UploadRepository } from './upload.repository.js';

const UPLOADS = 'select key, content, file_id as "fileId" from knowledge_uploads order by key';
const FILES = `select id, bytes::integer as bytes, source from files order by id`;

type Upload = { key: string; content: Buffer | null; fileId: string | null };

describe('documents that an earlier release stored in their rows', () => {
  let folder: string;
  let database: TestDatabase;
  let app: TestingModule;
  let scene: KnowledgeScene;
  let sourceId: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'aas-upload-move-'));
    database = await createTestDatabase();
    const env = { DATABASE_URL: database.url, ENCRYPTION_KEY: randomBytes(32).toString('hex'), DATA_DIR: folder };
    app = await Test.createTestingModule({
      imports: [
        settingsModule(env),
        CryptoModule,
        ObservabilityModule.of(createLogger({ level: 'silent', format: 'json', name: 'upload-move' })),
        DatabaseModule.of({ url: database.url, poolSize: 4, applicationName: 'upload-move' }),
        FilesModule,
      ],
      providers: [{ provide: Clock, useValue: systemClock }, UploadRepository, UploadBytesService, UploadMoveService],
    }).compile();
    scene = await KnowledgeScene.open(database.url);
    sourceId = (await scene.aSource(await scene.aBase())).sourceId;
  });
  afterAll(async () => {
    await scene.close();
    await app.close();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  const insert = (key: string, text: string): Promise<unknown> =>
    scene.query(
      `insert into knowledge_uploads (source_id, key, workspace_id, content_type, size, hash, content, uploaded_by)
        values ($1, $2, $3, 'text/plain', $4, $5, $6, 'ann')`,
      [
        sourceId,
        key,
        scene.workspaceId,
        text.length,
        createHash('sha256').update(text).digest('hex'),
        Buffer.from(text),
      ],
    );
  const read = async (key: string): Promise<string | undefined> => {
    const place = { workspaceId: scene.workspaceId, sourceId, key };
    return (await app.get(UploadBytesService).read(place, undefined))?.toString();
  };

  it('are read from there, moved once by several workers, and read from the storage', async () => {
    await insert('a.txt', 'one');
    await insert('b.txt', 'three');
    await insert('empty.txt', '');
    expect(await read('b.txt')).toBe('three');
    const worker = (): UploadMoveService =>
      Object.assign(Object.create(UploadMoveService.prototype) as UploadMoveService, app.get(UploadMoveService));
    expect(await Promise.all([worker().moveBatch(), worker().moveBatch()])).toEqual(['done', 'done']);
    const uploads = await scene.query<Upload>(UPLOADS);
    expect(uploads.map(({ content }) => content)).toEqual([null, null, null]);
    const files = await scene.query<{ id: string }>(FILES);
    expect(files).toHaveLength(3);
    expect(new Set(files.map(({ id }) => id))).toEqual(new Set(uploads.map(({ fileId }) => fileId)));
    expect((await readdir(join(folder, 'files'))).sort()).toEqual(files.map(({ id }) => id));
    expect(await Promise.all(uploads.map(({ key }) => read(key)))).toEqual(['one', 'three', '']);
  });

  it('stay where they are while the storage does not take them', async () => {
    await insert('later.txt', 'later');
    await scene.query('alter table files add constraint closed check (false) not valid');
    await expect(app.get(UploadMoveService).moveBatch()).rejects.toThrow('closed');
    await scene.query('alter table files drop constraint closed');
    expect(await read('later.txt')).toBe('later');
    expect(await readdir(join(folder, 'files'))).toHaveLength(3);
    await app.get(UploadMoveService).moveBatch();
    const [moved] = await scene.query<Upload>(`${UPLOADS} desc limit 1`);
    expect(moved).toMatchObject({ key: 'later.txt', content: null });
  });

  it('whose bytes the storage has lost are reported, and not taken for removed ones', async () => {
    const place = { workspaceId: scene.workspaceId, sourceId, key: 'a.txt' };
    await scene.query(`update knowledge_uploads set file_id = $1 where key = 'a.txt'`, [newId('file')]);
    await expect(app.get(UploadBytesService).read(place, undefined)).rejects.toMatchObject({ code: 'document_lost' });
    expect(await read('unknown.txt')).toBeUndefined();
  });
});
