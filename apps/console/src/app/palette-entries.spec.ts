import { SECTIONS } from '../settings/sections.js';
import { entriesFor } from './palette-entries.js';

const AGENTS = [{ id: 'agt_1', name: 'refund-desk' }];

describe('the palette', () => {
  it('finds pages and agents by a part of their name', () => {
    expect(entriesFor('USA', AGENTS).map(({ path }) => path)).toEqual(['/usage']);
    expect(entriesFor('refund', AGENTS)).toEqual([{ name: 'refund-desk', kind: 'Agent', path: '/agents/agt_1' }]);
  });

  it('finds each page of the settings by its name', () => {
    const found = SECTIONS.map(({ name }) => entriesFor(name, []).map(({ path }) => path));
    expect(found).toEqual(SECTIONS.map(({ path }) => [path]));
  });

  it('leads to any resource whose id is pasted', () => {
    expect(entriesFor(' run_01abc ', AGENTS)).toEqual([{ name: 'run_01abc', kind: 'Run', path: '/runs/run_01abc' }]);
    expect(entriesFor('kb_2', [])).toEqual([{ name: 'kb_2', kind: 'Knowledge base', path: '/knowledge/kb_2' }]);
  });

  it('finds nothing for anything else', () => {
    expect(entriesFor('xyz_1', AGENTS)).toEqual([]);
  });
});
