import { createHash } from 'node:crypto';
import { type FileEntity, RunFilesService } from '@app/files';
import { newId } from '@app/kernel';
import { Statements } from '@app/platform/database';
import { S3Server } from '../../../../test/support/s3-server.js';
import { ToolBench } from '../testing/tool-bench.js';

const OPEN = `select pid from pg_stat_activity
  where datname = current_database() and application_name = 'tool-bench' and state like 'idle in transaction%'`;

describe('a slow storage', () => {
  let s3: S3Server;
  let bench: ToolBench;
  let files: RunFilesService;

  beforeAll(async () => {
    s3 = await S3Server.start();
    Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' });
    bench = await ToolBench.start(s3.env);
    files = bench.app.get(RunFilesService, { strict: false });
  });
  afterAll(async () => {
    await bench.close();
    await s3.close();
  });
  afterEach(() => (s3.beforeWrite = async () => undefined));

  const store = (key: string): Promise<FileEntity> =>
    files.store(bench.ada.workspaceId, {
      source: { type: 'run', run: newId('run') },
      filename: 'a.txt',
      declaredContentType: undefined,
      stream: (async function* () {
        yield Buffer.from('x');
      })(),
      writeKey: createHash('sha256').update(key).digest(),
    });

  it('holds no transaction open, and of two attempts of one write one file stays', async () => {
    const open: unknown[] = [];
    const arrived: string[] = [];
    let release: () => void = () => undefined;
    const both = new Promise<void>((resolve) => (release = resolve));
    s3.beforeWrite = async (key) => {
      if (arrived.push(key) === 2) {
        open.push(...(await bench.app.get(Statements, { strict: false }).query({ name: 'open', text: OPEN }, [])));
        release();
      }
      await both;
    };
    const [first, second] = await Promise.all([store('one'), store('one')]);
    expect(second).toEqual(first);
    expect(open).toEqual([]);
    expect(arrived).toHaveLength(2);
    expect([...s3.objects.keys()]).toEqual([`aas/${first.id}`]);
    expect(await store('one')).toEqual(first);
    expect(arrived).toHaveLength(2);
  });
});
