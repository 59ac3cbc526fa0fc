import { changeSettings, readSettings } from './knowledge-settings.js';

const DEFAULTS = {
  chunking: { strategy: 'auto', max_tokens: 512, overlap_tokens: 64 },
  retrieval: { mode: 'keyword', top_k: 8, min_score: 0 },
  embedding: null,
  language: 'auto',
  deletion_guard: { max_ratio: 0.3 },
};

const refusalOf = (work: () => unknown): unknown => {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was refused');
};

describe('the settings of a knowledge base', () => {
  it('have defaults that need no provider', () => {
    expect(readSettings({})).toEqual(DEFAULTS);
  });

  it('complete the given values with defaults', () => {
    expect(readSettings({ chunking: { max_tokens: 100 }, language: 'german' })).toEqual({
      ...DEFAULTS,
      chunking: { strategy: 'auto', max_tokens: 100, overlap_tokens: 64 },
      language: 'german',
    });
  });

  it('accept the code of a language', () => {
    expect(readSettings({ language: 'de' }).language).toBe('german');
    expect(changeSettings(readSettings({}), { language: 'en' }).language).toBe('english');
  });

  it('do not change their input', () => {
    const given = {};
    readSettings(given);
    expect(given).toEqual({});
  });

  it.each([
    [{ chunking: { max_tokens: 31 } }, '/settings/chunking/max_tokens'],
    [{ chunking: { max_tokens: 64, overlap_tokens: 64 } }, '/settings/chunking/overlap_tokens'],
    [{ retrieval: { mode: 'vector' } }, '/settings/retrieval/mode'],
    [{ retrieval: { mode: 'semantic' } }, '/settings/retrieval/mode'],
    [{ retrieval: { top_k: 'many' } }, '/settings/retrieval/top_k'],
    [{ embedding: { provider: 'x' } }, '/settings/embedding/model'],
    [{ language: 'klingon' }, '/settings/language'],
    [{ language: 'tlh' }, '/settings/language'],
    [{ deletion_guard: { max_ratio: 2 } }, '/settings/deletion_guard/max_ratio'],
    [{ chunking: null }, '/settings/chunking'],
  ])('are rejected if invalid: %j', (given, pointer) => {
    expect(refusalOf(() => readSettings(given))).toMatchObject({ code: 'invalid_request', errors: [{ pointer }] });
  });

  it('report every mistake with a suggestion', () => {
    const given = { chunkng: {}, retrieval: { topk: 3 } };
    expect(refusalOf(() => readSettings(given))).toMatchObject({
      errors: [
        { pointer: '/settings/chunkng', suggestion: 'Did you mean `chunking`?' },
        { pointer: '/settings/retrieval/topk', suggestion: 'Did you mean `top_k`?' },
      ],
    });
  });

  it('keep the values that a change does not name', () => {
    const before = readSettings({ embedding: { provider: 'p', model: 'm' }, retrieval: { mode: 'hybrid', top_k: 3 } });
    expect(changeSettings(before, { retrieval: { top_k: 4 } }).retrieval).toEqual({
      mode: 'hybrid',
      top_k: 4,
      min_score: 0,
    });
    expect(changeSettings(before, { embedding: null, retrieval: { mode: 'keyword' } }).embedding).toBeNull();
    expect(refusalOf(() => changeSettings(before, { embedding: null }))).toMatchObject({ code: 'invalid_request' });
  });
});
