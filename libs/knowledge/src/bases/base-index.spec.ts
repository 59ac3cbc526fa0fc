import { KnowledgeBaseEntity } from './knowledge-base.entity.js';
import { indexSettings, readSettings } from './knowledge-settings.js';
import { wantedIndex } from './base-index.js';

describe('the index that new settings ask for', () => {
  const aBase = (more: Partial<KnowledgeBaseEntity> = {}): KnowledgeBaseEntity => {
    const settings = readSettings({});
    const index = { indexed: indexSettings(settings), generation: 1, lastGeneration: 1, staleGenerations: [] };
    return Object.assign(new KnowledgeBaseEntity(), { settings, building: null, ...index }, more);
  };
  const shorter = readSettings({ chunking: { max_tokens: 100 } });

  it('is the one there is where nothing has changed that passages are made by', () => {
    expect(wantedIndex(aBase(), readSettings({ retrieval: { top_k: 3 } }))).toEqual({});
  });

  it.each([
    [{ chunking: { max_tokens: 100 } }],
    [{ language: 'german' }],
    [{ embedding: { provider: 'p', model: 'm' } }],
  ])('is built beside it for %j', (change) => {
    expect(wantedIndex(aBase(), readSettings(change))).toMatchObject({ building: 2, lastGeneration: 2 });
  });

  it('goes on being built where other settings change', () => {
    const base = aBase({ settings: shorter, building: 2, lastGeneration: 2 });
    const more = readSettings({ chunking: { max_tokens: 100 }, retrieval: { top_k: 3 } });
    expect(wantedIndex(base, more)).toEqual({});
  });

  it('is begun again where it would not be what is wanted, under a number of its own', () => {
    const base = aBase({ settings: shorter, building: 4, lastGeneration: 4, staleGenerations: [1] });
    expect(wantedIndex(base, readSettings({ language: 'german' }))).toMatchObject({
      building: 5,
      lastGeneration: 5,
      staleGenerations: [1, 4],
    });
  });

  it('is given up where everything is to be as it is', () => {
    const base = aBase({ settings: shorter, building: 2, lastGeneration: 2 });
    expect(wantedIndex(base, readSettings({}))).toMatchObject({ building: null, staleGenerations: [2] });
  });
});
