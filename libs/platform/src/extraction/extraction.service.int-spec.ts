import { builtPrograms } from '../../../../test/support/built-program.js';
import { aPdf } from '../../../../test/support/site-server.js';
import { ExtractionService } from './extraction.service.js';

const NEVER = new AbortController().signal;

describe('reading documents in child processes', () => {
  const pools: ExtractionService[] = [];

  afterEach(() => pools.splice(0).forEach((pool) => pool.onApplicationShutdown()));

  const aPool = (settings: Parameters<typeof ExtractionService.with>[0] = {}): ExtractionService => {
    const programs = builtPrograms('libs/platform/src/extraction/extraction-program');
    const pool = ExtractionService.with({ ...programs, ...settings });
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
