import type { Caller } from '../data/api.js';
import { placeOf } from '../data/id-places.js';
import type { KnownOption } from '../data/known-options.js';
import type { Search } from '../data/search.js';
import { GUIDES_PATH } from '../data/guides.js';
import { SECTIONS } from '../settings/sections.js';
import { hashOf } from '../ui/linked.js';

export interface Entry {
  name: string;
  kind: string;
  path: string;
  search?: Search;
  /** The action of the page to which the entry leads. */
  hash?: string;
  /** Scope without which the entry cannot be chosen. */
  scope?: Caller['scopes'][number];
  /** Further words by which the entry is found. */
  about?: string;
}

/** What the palette has read of the workspace. */
export interface Known {
  agents: readonly { id: string; name: string; status: string }[];
  bases: readonly { id: string; name: string }[];
  /** Their e-mail addresses. */
  members: readonly KnownOption[];
}

const page = (name: string, path: string, more: Partial<Entry> = {}): Entry => ({ name, path, kind: 'Page', ...more });

const PAGES: readonly Entry[] = [
  page('Overview', '/'),
  page('Runs', '/runs'),
  page('Failed runs', '/runs', { search: { status: 'failed' } }),
  page('Approvals', '/approvals'),
  page('Agents', '/agents'),
  page('Knowledge', '/knowledge'),
  page('Usage', '/usage'),
  ...SECTIONS.map(({ name, path, text }) => page(name, path, { about: text })),
  page('Emergency stop', '/stop'),
  page('Guides', GUIDES_PATH),
];

const action = (name: string, path: string, scope: Entry['scope'], hash?: string): Entry => ({
  name,
  path,
  kind: 'Action',
  ...(scope && { scope }),
  ...(hash !== undefined && { hash }),
});
const dialog = (name: string, path: string, scope: Entry['scope']): Entry => action(name, path, scope, hashOf(name));

const ACTIONS: readonly Entry[] = [
  action('New agent', '/agents/new', 'agents:write'),
  dialog('Create knowledge base', '/knowledge', 'knowledge:write'),
  dialog('Invite member', '/settings/members', 'members:manage'),
  dialog('Create group', '/settings/groups', 'members:manage'),
  dialog('Create key', '/settings/keys', 'keys:manage'),
  dialog('Create secret', '/settings/secrets', 'secrets:write'),
  dialog('Create connection', '/settings/connections', 'connections:write'),
  dialog('Create endpoint', '/settings/webhooks', 'webhooks:manage'),
  action('Stop all agents', '/stop', 'workspace:stop'),
];

function entriesOf({ agents, bases, members }: Known): Entry[] {
  return [
    ...agents.flatMap(({ id, name, status }): Entry[] => {
      const path = `/agents/${id}`;
      const pausing = status === 'paused' ? 'Resume' : 'Pause';
      return [
        { name, kind: 'Agent', path },
        { name: `Runs of ${name}`, kind: 'Page', path: '/runs', search: { agent: id } },
        action(`Start a run of ${name}`, path, 'agents:run', 'start-a-run'),
        action(`${pausing} ${name}`, path, 'agents:write', hashOf(pausing)),
        action(`Edit ${name}`, `${path}/edit`, 'agents:write'),
      ];
    }),
    ...bases.map(({ id, name }) => ({ name, kind: 'Knowledge base', path: `/knowledge/${id}` })),
    ...members.map(({ value }) => ({ name: value, kind: 'Member', path: '/settings/members' })),
  ];
}

const MAX_ENTRIES = 14;

/**
 * Returns the entries that have every word of `text`, those whose name begins with it first. An id leads to its
 * resource, a label such as `team=support` to its runs, and any text to the runs that contain it.
 */
export function entriesFor(text: string, known: Known): Entry[] {
  const sought = text.trim().toLowerCase();
  const place = placeOf(sought);
  if (place) return [{ name: sought, ...place }];
  const words = sought.split(/\s+/);
  const found = [...PAGES, ...ACTIONS, ...entriesOf(known)].filter(({ name, about = '' }) => {
    const whole = `${name} ${about}`.toLowerCase();
    return words.every((word) => whole.includes(word));
  });
  const rank = ({ name }: Entry): number => {
    const at = name.toLowerCase().indexOf(sought);
    return at === 0 ? 0 : at > 0 ? 1 : 2;
  };
  const searches = [...labelEntries(text.trim()), ...textEntries(text.trim())];
  const named = found.toSorted((a, b) => rank(a) - rank(b)).slice(0, MAX_ENTRIES - searches.length);
  return [...named, ...searches];
}

const MIN_SEARCHED_LENGTH = 3;
const MAX_SEARCHED_LENGTH = 200;

/** Leads to the runs whose error, input or output has the text. */
function textEntries(text: string): Entry[] {
  if (text.length < MIN_SEARCHED_LENGTH || text.length > MAX_SEARCHED_LENGTH) return [];
  return [{ name: `Runs that contain “${text}”`, kind: 'Search', path: '/runs', search: { q: text } }];
}

function labelEntries(text: string): Entry[] {
  if (!/^[^\s=]+=[^\s=]+$/.test(text)) return [];
  return [{ name: `Runs with the label ${text}`, kind: 'Page', path: '/runs', search: { label: text } }];
}
