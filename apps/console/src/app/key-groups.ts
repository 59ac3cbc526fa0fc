/** A group of keyboard shortcuts in the help dialog. A page that adds a shortcut must list it in `KEY_GROUPS`. */
export interface KeyGroup {
  title: string;
  keys: readonly (readonly [keys: string, does: string])[];
}

/** Pages by letter. The shortcut of a page is `g` followed by its letter. */
export const PAGE_KEYS: Readonly<Record<string, readonly [path: string, name: string]>> = {
  o: ['/', 'Overview'],
  r: ['/runs', 'Runs'],
  i: ['/approvals', 'Approvals'],
  a: ['/agents', 'Agents'],
  k: ['/knowledge', 'Knowledge'],
  u: ['/usage', 'Usage'],
  t: ['/settings', 'Settings'],
};

/** The shortcut `g s` opens the stop dialog on every page. */
export const STOP_KEY = 's';

export const KEY_GROUPS: readonly KeyGroup[] = [
  {
    title: 'Every page',
    keys: [
      ['Ctrl K', 'Search pages, actions, agents, people and ids'],
      [`g ${STOP_KEY}`, 'Stop all agents (asks first)'],
      ['?', 'Show these keys'],
      ['Esc', 'Close a dialog'],
    ],
  },
  {
    title: 'Go to',
    keys: Object.entries(PAGE_KEYS).map(([letter, [, name]]) => [`g ${letter}`, name] as const),
  },
  {
    title: 'Lists and runs',
    keys: [
      ['/', 'First filter'],
      ['f', 'More filters of the runs'],
      ['j k', 'Next and previous list entry'],
      ['Enter', 'Open the entry'],
      ['x', 'Select the entry'],
      ['[ ]', 'Previous and next run in the list, previous and next approval'],
      ['a r', 'Approval: move to Approve and Reject'],
    ],
  },
  {
    title: 'Editor of definitions',
    keys: [
      ['Ctrl F', 'Search and replace'],
      ['Ctrl D', 'Select the next occurrence'],
      ['Ctrl Alt g', 'Go to a line'],
      ['Ctrl Space', 'Suggest what fits here'],
      ['Ctrl S', 'Save the version'],
    ],
  },
];
