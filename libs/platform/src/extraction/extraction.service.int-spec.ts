import { join } from 'node:path';
import { type CompiledFolder, compilePlatform } from '../../../../test/support/compiled.js';
import { aPdf } from '../../../../test/support/site-server.js';
import { ExtractionService } from './extraction.service.js';

const NEVER = new AbortController().signal;

describe('reading documents in child processes', () => {
  let code: CompiledFolder;
  const pools: ExtractionService[] = [];

  beforeAll(async () => {
    code = await compilePlatform();
  });
  afterEach(() => pools.splice(0).forEach((pool) => pool.onApplicationShutdown()));
  afterAll(() => code.remove());

  const aPool = (settings: Parameters<typeof ExtractionService.with>[0] = {}): ExtractionService => {
    const program = join(code.directory, 'platform', 'extraction', 'extraction-program.js');
    const host = join(code.directory, 'platform', 'sandbox', 'process-host.js');
    const pool = ExtractionService.with({ program, host, ...settings });
    pools.push(pool);
    return pool;
  };
  const text = (words: string) => ({ bytes: Buffer.from(words), contentType: 'text/plain', url: null });

  it('returns the text of more documents than there are processes', async () => {
    const pool = aPool();
    const read = await Promise.all(Array.from({ length: 20 }, (_, n) => pool.extract(text(`words ${n}`), NEVER)));
    expect(read.map((each) => each.text)).toEqual(Array.from({ length: 20 }, (_, n) => `words ${n}`));
  });

  it('reads PDF', async () => {
    const { body } = aPdf('Refunds within (thirty) days');
    const read = await aPool().extract({ bytes: body as Buffer, contentType: 'application/pdf', url: null }, NEVER);
    expect(read.text).toContain('Refunds within (thirty) days');
  });

  it('survives a document that exceeds the memory limit, and reads the next', async () => {
    const pool = aPool({ heapMegabytes: 24, processes: 1 });
    const bomb = { bytes: Buffer.alloc(45 * 1024 * 1024, '<b>x</b> '), contentType: 'text/html', url: null };
    await expect(pool.extract(bomb, NEVER)).rejects.toMatchObject({ code: 'document_unreadable' });
    expect(await pool.extract(text('still here'), NEVER)).toMatchObject({ text: 'still here' });
  });

  it('fails for a document that exceeds the CPU time', async () => {
    const pool = aPool({ cpuMillis: 1, processes: 1 });
    const long = { bytes: Buffer.alloc(20 * 1024 * 1024, '<b>x</b> '), contentType: 'text/html', url: null };
    await expect(pool.extract(long, NEVER)).rejects.toMatchObject({ code: 'document_unreadable' });
  });

  it('rejects with the reason of an aborted signal', async () => {
    await expect(aPool().extract(text('x'), AbortSignal.abort('lost'))).rejects.toBe('lost');
  });
});
