import type { TraceRow } from '../live/trace-rows.js';

/**
 * What a keyboard key does in the tree. It either moves the focus to the line with the index `to`, or opens or closes
 * the group whose row has the key `toggle`.
 */
export type TreeMove = { to: number } | { toggle: string };

const PAGE = 10;

/**
 * Returns what the keyboard key `key` does if the line with the index `at` has the focus. Returns undefined if the tree
 * does not use this key.
 */
export function treeMove(key: string, rows: readonly TraceRow[], at: number): TreeMove | undefined {
  const row = rows[at];
  if (row === undefined) return undefined;
  const to = (index: number): TreeMove => ({ to: Math.min(Math.max(index, 0), rows.length - 1) });
  switch (key) {
    case 'ArrowDown':
      return to(at + 1);
    case 'ArrowUp':
      return to(at - 1);
    case 'PageDown':
      return to(at + PAGE);
    case 'PageUp':
      return to(at - PAGE);
    case 'Home':
      return to(0);
    case 'End':
      return to(rows.length - 1);
    case 'ArrowRight':
      return row.kind === 'step' ? undefined : row.isOpen ? to(at + 1) : { toggle: row.key };
    case 'ArrowLeft':
      return row.kind === 'group' && row.isOpen ? { toggle: row.key } : to(parentOf(rows, at));
    case ' ':
    case 'Enter':
      return row.kind === 'group' ? { toggle: row.key } : undefined;
    default:
      return undefined;
  }
}

function parentOf(rows: readonly TraceRow[], at: number): number {
  const depth = rows[at]?.depth ?? 0;
  for (let index = at - 1; index >= 0; index--) if ((rows[index]?.depth ?? 0) < depth) return index;
  return at;
}
