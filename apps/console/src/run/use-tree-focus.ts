import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react';
import type { TraceRow } from '../live/trace-rows.js';
import { treeMove } from './tree-keys.js';

export interface TreeFocusOptions {
  rows: readonly TraceRow[];
  /** Position of the chosen step; 0 if none is. */
  selected: number;
  onSelect: (n: number) => void;
  toggle: (key: string) => void;
  /** Brings a line into view that may not be in the document. */
  show: (index: number) => void;
}

export interface TreeFocus {
  tree: RefObject<HTMLDivElement | null>;
  /** Key of the one line that the Tab key reaches. */
  entry: string | undefined;
  /** The line got the focus by other means than a key of the tree. */
  remember: (key: string) => void;
  onKeyDown: (event: KeyboardEvent) => void;
}

/** The focus of the tree: a key that moves it to a step also chooses the step. */
export function useTreeFocus({ rows, selected, onSelect, toggle, show }: TreeFocusOptions): TreeFocus {
  const tree = useRef<HTMLDivElement>(null);
  const [focused, setFocused] = useState<string>();
  const wanted = useRef<string>(undefined);
  const at = entryOf(rows, focused, selected);
  useShown(rows, selected, show, tree);
  // The line may come into the document only after it was scrolled to.
  useEffect(() => {
    const line = wanted.current === undefined ? null : lineOf(tree.current, wanted.current);
    if (line === null) return;
    wanted.current = undefined;
    line.focus();
  });
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const move = treeMove(event.key, rows, at);
    if (move === undefined) return;
    event.preventDefault();
    if ('toggle' in move) {
      toggle(move.toggle);
      return;
    }
    const row = rows[move.to];
    if (row === undefined) return;
    wanted.current = row.key;
    setFocused(row.key);
    show(move.to);
    if (row.kind === 'step') onSelect(row.step.n);
  };
  return { tree, entry: rows[at]?.key, remember: setFocused, onKeyDown };
}

function entryOf(rows: readonly TraceRow[], focused: string | undefined, selected: number): number {
  const remembered = focused === undefined ? -1 : rows.findIndex(({ key }) => key === focused);
  if (remembered >= 0) return remembered;
  return Math.max(0, indexOfStep(rows, selected));
}

function indexOfStep(rows: readonly TraceRow[], n: number): number {
  return n === 0 ? -1 : rows.findIndex((row) => row.kind === 'step' && row.step.n === n);
}

function lineOf(tree: HTMLElement | null, key: string): HTMLElement | null {
  return tree?.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`) ?? null;
}

/** Shows the step of the address once it has been read. Later on, the person scrolls. */
function useShown(
  rows: readonly TraceRow[],
  selected: number,
  show: (index: number) => void,
  tree: RefObject<HTMLDivElement | null>,
): void {
  const shown = useRef(0);
  useEffect(() => {
    const index = shown.current === selected ? -1 : indexOfStep(rows, selected);
    const row = rows[index];
    if (row === undefined) return;
    const isFirst = shown.current === 0;
    shown.current = selected;
    if (isFirst) show(index);
    lineOf(tree.current, row.key)?.scrollIntoView({ block: 'nearest' });
  });
}
