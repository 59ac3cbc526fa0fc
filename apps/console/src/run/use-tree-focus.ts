import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react';
import type { TraceRow } from '../live/trace-rows.js';
import { treeMove } from './tree-keys.js';

export interface TreeFocusOptions {
  rows: readonly TraceRow[];
  /** Number of the selected step, or 0 if no step is selected. */
  selected: number;
  onSelect: (n: number) => void;
  toggle: (key: string) => void;
  /** Scrolls to a line, which may not be rendered yet. */
  show: (index: number) => void;
}

export interface TreeFocus {
  tree: RefObject<HTMLDivElement | null>;
  /** `key` of the row that gets the focus when the person presses Tab to enter the tree. */
  entry: string | undefined;
  /** Call this if a line gets the focus in another way than by the arrow keys, for example by a click. */
  remember: (key: string) => void;
  onKeyDown: (event: KeyboardEvent) => void;
}

/** Manages the keyboard focus of the tree. If a keyboard key moves the focus to a step, selects this step. */
export function useTreeFocus({ rows, selected, onSelect, toggle, show }: TreeFocusOptions): TreeFocus {
  const tree = useRef<HTMLDivElement>(null);
  const [focused, setFocused] = useState<string>();
  const wanted = useRef<string>(undefined);
  const at = entryOf(rows, focused, selected);
  useShown(rows, selected, show, tree);
  // Focuses the line to which a keyboard key has moved. This effect runs after each render, because the line is
  // rendered only after the tree has scrolled to it.
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

/** Scrolls to a selected step once per selection, as soon as the step has loaded. */
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
    if (isFirst || lineOf(tree.current, row.key) === null) show(index);
    lineOf(tree.current, row.key)?.scrollIntoView({ block: 'nearest' });
  });
}
