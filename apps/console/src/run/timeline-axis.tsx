import type { ReactNode } from 'react';
import { formatDuration } from '../ui/format-values.js';
import type { Gap, TimeScale } from './time-scale.js';
import styles from './trace.module.css';

/** Shows how long the run waited in each idle period that the timeline shortens. */
export function TimelineAxis({ scale }: { scale: TimeScale }): ReactNode {
  return (
    <div className={styles.axisRow}>
      <span className={styles.axisName}>Step</span>
      <div ref={hideOverlapping} className={styles.axis}>
        {longest(scale.gaps).map((gap) => (
          <span
            key={gap.start}
            className={styles.gap}
            style={placeOf((scale.position(gap.start) + scale.position(gap.end)) / 2)}
          >
            {['waited', formatDuration(gap.end - gap.start), scale.reasonOf(gap)].filter(Boolean).join(' ')}
          </span>
        ))}
      </div>
    </div>
  );
}

/** Marks the idle periods that the timeline shortens. Rendered behind the bars. */
export function TimelineGaps({ scale }: { scale: TimeScale }): ReactNode {
  return (
    <div className={styles.gapBands} role="none">
      {scale.gaps.slice(0, 50).map((gap) => {
        const left = scale.position(gap.start);
        return (
          <span
            key={gap.start}
            className={styles.gapBand}
            style={{ left: percent(left), width: percent(scale.position(gap.end) - left) }}
            aria-hidden
          />
        );
      })}
    </div>
  );
}

function longest(gaps: readonly Gap[]): Gap[] {
  return [...gaps].sort((a, b) => b.end - b.start - (a.end - a.start)).slice(0, 20);
}

/** Hides labels that would cover an earlier one, which is of a longer wait. */
function hideOverlapping(axis: HTMLElement | null): void {
  const shown: DOMRect[] = [];
  for (const label of axis?.querySelectorAll('span') ?? []) {
    const place = label.getBoundingClientRect();
    const isFree = shown.every(({ left, right }) => place.right < left || right < place.left);
    label.style.visibility = isFree ? 'visible' : 'hidden';
    if (isFree) shown.push(place);
  }
}

/** The label of the first moment begins there, and that of the last moment ends there, so that none leaves the timeline. */
function placeOf(position: number): { left: string; transform: string } {
  return { left: percent(position), transform: `translate(-${percent(position)}, -50%)` };
}

function percent(share: number): string {
  return `${(share * 100).toFixed(2)}%`;
}
