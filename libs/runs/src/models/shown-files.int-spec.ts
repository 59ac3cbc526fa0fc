import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FilesService, FileTextsService, RunFilesService } from '@app/files';
import { newId } from '@app/kernel';
import { knowledgeConfig } from '@app/knowledge';
import { ExtractionService } from '@app/platform/extraction';
import { modelsConfig } from '@app/platform/models';
import { builtPrograms } from '../../../../test/support/built-program.js';
import { aPdf } from '../../../../test/support/site-server.js';
import { ToolBench } from '../testing/tool-bench.js';
import { type FilesToShow, ShownFilesService } from './shown-files.service.js';

const MIB = 1024 * 1024;
const RUN = { runId: newId('run'), agentId: newId('agent'), parentRunId: null };
const PNG = Buffer.from('89504e470d0a1a0a0000000d4948445200000001000000010806000000', 'hex');
const PDF = Buffer.from(aPdf('total 40').body as Buffer);
const ALL = ['text', 'image', 'pdf'] as const;

describe('the files that a request to a model shows', () => {
  let folder: string;
  let bench: ToolBench;
  let shown: ShownFilesService;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'aas-shown-'));
    bench = await ToolBench.start({
      DATA_DIR: folder,
      MAX_MODEL_FILE_BYTES: String(6 * MIB),
      MAX_UPLOAD_BYTES: String(7 * MIB),
    });
    const of = { strict: false };
    const programs = builtPrograms('libs/platform/src/extraction/extraction-program');
    Object.assign(bench.app.get(ExtractionService, of), ExtractionService.with(programs));
    const [runFiles, files] = [bench.app.get(RunFilesService, of), bench.app.get(FilesService, of)];
    const [texts, models] = [bench.app.get(FileTextsService, of), bench.app.get(modelsConfig.KEY, of)];
    shown = new ShownFilesService(runFiles, files, texts, models, bench.app.get(knowledgeConfig.KEY, of));
  });
  afterAll(async () => {
    await bench.close();
    await rm(folder, { recursive: true, force: true });
  });

  const store = async (filename: string, bytes: Buffer | string): Promise<string> => {
    const stream = (async function* () {
      yield Buffer.from(bytes);
    })();
    const file = {
      source: { type: 'upload' as const, run: RUN.runId },
      filename,
      declaredContentType: undefined,
      stream,
    };
    return (await bench.app.get(RunFilesService, { strict: false }).store(bench.ada.workspaceId, file)).id;
  };
  const read = (ids: string[], more: Partial<FilesToShow> = {}) => {
    const files = ids.map((id) => ({ id, filename: 'x', contentType: 'x', bytes: 1, sha256: 'x' }));
    const { signal } = new AbortController();
    return shown.read({
      workspaceId: bench.ada.workspaceId,
      run: RUN,
      files,
      mode: 'auto',
      input: ALL,
      signal,
      attempt: {},
      ...more,
    });
  };
  const facts = async (...given: Parameters<typeof read>) =>
    (await read(...given)).facts.map(({ file: _, ...fact }) => fact);
  const large = (head: Buffer, bytes: number): Buffer => Buffer.concat([head, Buffer.alloc(bytes - head.length, 1)]);

  it('are images and documents if the model reads them, else text, else only named', async () => {
    const ids = [
      await store('photo.png', PNG),
      await store('invoice.pdf', PDF),
      await store('list.csv', 'a;b'),
      await store('data.json', '{"a":1}'),
      await store('film.bin', Buffer.from([0, 1, 2])),
    ];
    const no = { shown: 'no', reason: 'type' };
    const text = { shown: 'text' };
    expect(await facts(ids)).toEqual([{ shown: 'image' }, { shown: 'document' }, text, text, no]);
    expect(await facts(ids, { input: ['text', 'pdf'] })).toEqual([no, { shown: 'document' }, text, text, no]);
    expect(await facts(ids, { input: ['text'] })).toEqual([no, text, text, text, no]);
    expect(await facts(ids, { mode: 'text' })).toEqual([no, text, text, text, no]);
    expect(await facts(ids, { mode: 'off' })).toEqual(ids.map(() => ({ shown: 'no', reason: 'off' })));
    const { contents } = await read(ids, { input: ['text', 'image'] });
    expect(ids.map((id) => contents.get(id))).toEqual([
      { mediaType: 'image/png', bytes: PNG },
      { text: expect.stringContaining('total 40'), isTruncated: false },
      { text: 'a;b', isTruncated: false },
      { text: '{"a":1}', isTruncated: false },
      undefined,
    ]);
  });

  it('are at most 5 MiB for an image and MAX_MODEL_FILE_BYTES together, in their order', async () => {
    const huge = await store('huge.png', large(PNG, 5 * MIB + 1));
    const first = await store('first.png', large(PNG, 4 * MIB));
    const second = await store('second.png', large(PNG, 3 * MIB));
    const small = await store('small.png', PNG);
    const pdf = await store('long.pdf', large(PDF, 2 * MIB));
    const tooLarge = { shown: 'no', reason: 'too_large' };
    expect(await facts([huge, first, second, pdf, small])).toEqual([
      tooLarge,
      { shown: 'image' },
      tooLarge,
      { shown: 'document' },
      tooLarge,
    ]);
    expect(await facts([first, small, pdf])).toEqual([
      { shown: 'image' },
      { shown: 'image' },
      { shown: 'text', reason: 'too_large' },
    ]);
    const text = await store('long.txt', 'x'.repeat(7 * MIB + 1));
    expect(await facts([text])).toEqual([tooLarge]);
  });

  it('are cut after 100 000 characters of text, and unreadable without any', async () => {
    const long = await store('long.txt', 'x'.repeat(100_001));
    expect((await read([long])).contents.get(long)).toEqual({ text: 'x'.repeat(100_000), isTruncated: true });
    const scan = await store('scan.pdf', Buffer.from(aPdf('').body as Buffer));
    const broken = await store('broken.pdf', '%PDF-1.7\nnothing of a document');
    const unreadable = { shown: 'no', reason: 'unreadable' };
    expect(await facts([scan, broken], { mode: 'text' })).toEqual([unreadable, unreadable]);
    expect(await facts([await store('empty.txt', '')])).toEqual([{ shown: 'text' }]);
  });

  it('are missing if they are deleted, if their bytes are lost, or for another run', async () => {
    const [deleted, lost, kept] = [await store('a.txt', 'a'), await store('b.txt', 'b'), await store('c.txt', 'c')];
    await bench.app.get(FilesService, { strict: false }).delete(bench.ada, deleted);
    await rm(join(folder, 'files', lost));
    const missing = { shown: 'no', reason: 'missing' };
    expect(await facts([deleted, lost, kept])).toEqual([missing, missing, { shown: 'text' }]);
    const other = { ...RUN, runId: newId('run'), agentId: newId('agent') };
    expect(await facts([kept], { run: other })).toEqual([missing]);
  });

  it('are read for their text once in an attempt', async () => {
    const id = await store('a.txt', 'a');
    const attempt = {};
    expect(await facts([id], { attempt })).toEqual([{ shown: 'text' }]);
    await rm(join(folder, 'files', id));
    expect(await facts([id], { attempt })).toEqual([{ shown: 'text' }]);
    expect(await facts([id])).toEqual([{ shown: 'no', reason: 'missing' }]);
  });

  it('are read again later if their storage does not answer', async () => {
    const id = await store('a.txt', 'a');
    const path = join(folder, 'files', id);
    await rm(path);
    await symlink(path, path);
    await expect(read([id])).rejects.toMatchObject({ code: 'unavailable' });
    await rm(path);
    await writeFile(path, 'no frame of this file');
    expect(await facts([id])).toEqual([{ shown: 'no', reason: 'missing' }]);
  });
});
