import { KnowledgeBaseEntity } from './knowledge-base.entity.js';
import { indexSettings, readSettings } from './knowledge-settings.js';
import { planIndexChange } from './base-index.js';

describe('planIndexChange', () => {
  const aBase = (more: Partial<KnowledgeBaseEntity> = {}): KnowledgeBaseEntity => {
    const settings = readSettings({});
    const index = { indexed: indexSettings(settings), generation: 1, lastGeneration: 1, staleGenerations: [] };
    return Object.assign(new KnowledgeBaseEntity(), { settings, building: null, ...index }, more);
  };
  const shorter = readSettings({ chunking: { max_tokens: 100 } });

  it('changes nothing if the passages stay the same', () => {
    expect(planIndexChange(aBase(), readSettings({ retrieval: { top_k: 3 } }))).toEqual({});
  });

  it.each([
    [{ chunking: { max_tokens: 100 } }],
    [{ language: 'german' }],
    [{ embedding: { provider: 'p', model: 'm' } }],
  ])('starts a build for %j', (change) => {
    expect(planIndexChange(aBase(), readSettings(change))).toMatchObject({ building: 2, lastGeneration: 2 });
  });

  it('continues a build if other settings change', () => {
    const base = aBase({ settings: shorter, building: 2, lastGeneration: 2 });
    const more = readSettings({ chunking: { max_tokens: 100 }, retrieval: { top_k: 3 } });
    expect(planIndexChange(base, more)).toEqual({});
  });

  it('restarts a build with a new number if the build no longer fits', () => {
    const base = aBase({ settings: shorter, building: 4, lastGeneration: 4, staleGenerations: [1] });
    expect(planIndexChange(base, readSettings({ language: 'german' }))).toMatchObject({
      building: 5,
      lastGeneration: 5,
      staleGenerations: [1, 4],
    });
  });

  it('abandons a build if the searched generation fits again', () => {
    const base = aBase({ settings: shorter, building: 2, lastGeneration: 2 });
    expect(planIndexChange(base, readSettings({}))).toMatchObject({ building: null, staleGenerations: [2] });
  });
});
