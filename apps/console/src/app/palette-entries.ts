import { placeOf } from '../data/id-places.js';
import { SECTIONS } from '../settings/sections.js';

export interface Entry {
  name: string;
  kind: string;
  path: string;
}

/** Path of the guides. They are a separate website, not pages of the console. */
export const GUIDES_PATH = '/docs/guides/';

const PAGES: readonly Entry[] = [
  ['Overview', '/'],
  ['Runs', '/runs'],
  ['Failed runs', '/runs?status=failed'],
  ['Approvals', '/approvals'],
  ['Agents', '/agents'],
  ['New agent', '/agents/new'],
  ['Knowledge', '/knowledge'],
  ['Usage', '/usage'],
  ...SECTIONS.map(({ name, path }) => [name, path] as const),
  ['Emergency stop', '/stop'],
  ['Guides', GUIDES_PATH],
].map(([name = '', path = '']) => ({ name, path, kind: 'Page' }));

const MAX_ENTRIES = 12;

export function entriesFor(text: string, agents: readonly { id: string; name: string }[]): Entry[] {
  const sought = text.trim().toLowerCase();
  const place = placeOf(sought);
  if (place) return [{ name: sought, ...place }];
  const named = agents.map(({ id, name }) => ({ name, kind: 'Agent', path: `/agents/${id}` }));
  return [...PAGES, ...named].filter(({ name }) => name.toLowerCase().includes(sought)).slice(0, MAX_ENTRIES);
}
