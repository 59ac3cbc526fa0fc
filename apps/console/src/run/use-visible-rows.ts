import { useVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useRef } from 'react';
import type { TraceRow } from '../live/trace-rows.js';
import { useMedia } from '../ui/media.js';

/** If a run has more steps than this, only the lines in view are rendered. */
const ALL_SHOWN = 500;
/** Height of a line in pixels, on wide screens. Must match the style sheet. */
const HEIGHT = 32;
const TOUCH_HEIGHT = 44;
const narrow = matchMedia('(max-width: 900px)');

export interface VisibleRows {
  scroller: RefObject<HTMLDivElement | null>;
  /**
   * Lines to render. `top` is the distance from the top of the tree in pixels, or undefined if all lines are rendered.
   */
  visible: { row: TraceRow; top: number | undefined }[];
  /** Height of all lines in pixels. Undefined if all lines are rendered. */
  height: number | undefined;
  show: (index: number) => void;
}

export function useVisibleRows(rows: readonly TraceRow[], steps: number): VisibleRows {
  const scroller = useRef<HTMLDivElement>(null);
  const isVirtual = steps > ALL_SHOWN;
  const height = useMedia(narrow) ? TOUCH_HEIGHT : HEIGHT;
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    getItemKey: (index) => `${height} ${index}`,
    overscan: 20,
    enabled: isVirtual,
  });
  const visible = isVirtual
    ? virtualizer.getVirtualItems().flatMap(({ index, start }) => {
        const row = rows[index];
        return row ? [{ row, top: start }] : [];
      })
    : rows.map((row) => ({ row, top: undefined }));
  return {
    scroller,
    visible,
    height: isVirtual ? virtualizer.getTotalSize() : undefined,
    show: (index) => {
      if (isVirtual) virtualizer.scrollToIndex(index);
    },
  };
}
