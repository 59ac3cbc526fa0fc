import { builtProgram } from '../../../../test/support/built-program.js';
import { readSettings } from '../bases/knowledge-settings.js';
import { PassageCutter } from './passage-cutter.js';
import { type NewPassage, passagesOf } from './passages.js';

const DOCUMENT = { id: 'doc_1', title: 'Long', address: 'long', language: 'english', detected: null };

describe('PassageCutter', () => {
  const program = builtProgram('libs/knowledge/src/documents/passage-thread');
  const threads = new PassageCutter({ program, shortText: 0 });
  const settings = readSettings({ chunking: { max_tokens: 32, overlap_tokens: 4 } });

  const text = Array.from(
    { length: 15_000 },
    (_, n) => `# Part ${n}\n\nSentence ${n} says one thing. Another follows it.`,
  ).join('\n\n');
  const cut = async (cutter: PassageCutter): Promise<NewPassage[][]> => {
    const batches: NewPassage[][] = [];
    for await (const batch of cutter.cut({ document: DOCUMENT, text, settings })) batches.push(batch);
    return batches;
  };

  it('gives the same batches in a thread as in the process', async () => {
    const batches = await cut(threads);
    expect(batches.length).toBeGreaterThan(10);
    expect(batches.flat()).toEqual([...passagesOf(DOCUMENT, text, settings)]);
    expect(await cut(new PassageCutter({ shortText: text.length }))).toEqual(batches);
  });

  it('lets the event loop turn between short texts', async () => {
    const cutter = new PassageCutter({ shortText: text.length });
    let [turns, isOver] = [0, false];
    const others = (): void => {
      turns += 1;
      if (!isOver) setImmediate(others);
    };
    setImmediate(others);
    for (let n = 0; n < 10; n += 1) await cutter.cut({ document: DOCUMENT, text: 'Short.', settings }).next();
    isOver = true;
    expect(turns).toBeGreaterThanOrEqual(9);
  });

  it('ends its thread when the caller stops reading', async () => {
    const workers = (): number => process.getActiveResourcesInfo().filter((each) => each === 'MessagePort').length;
    const before = workers();
    for await (const batch of threads.cut({ document: DOCUMENT, text, settings })) {
      expect(batch.length).toBeGreaterThan(0);
      break;
    }
    expect(workers()).toBe(before);
  });

  it('fails if its thread fails', async () => {
    const broken = new PassageCutter({ program: `${program}.missing.js`, shortText: 0 });
    await expect(cut(broken)).rejects.toMatchObject({ code: expect.stringContaining('MODULE_NOT_FOUND') });
  });
});
