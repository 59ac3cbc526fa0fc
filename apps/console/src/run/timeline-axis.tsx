import type { ReactNode } from 'react';
import { formatDuration } from '../ui/format-values.js';
import type { Gap, TimeScale } from './time-scale.js';
import styles from './trace.module.css';

/** Minimum distance between two labels as a share of the timeline width, so that the labels do not overlap. */
const LABEL_SHARE = 0.3;

/** Shows how long the run waited in each idle period that the timeline shortens. */
export function TimelineAxis({ scale }: { scale: TimeScale }): ReactNode {
  return (
    <div className={styles.axisRow}>
      <span className={styles.axisName}>Step</span>
      <div className={styles.axis}>
        {labelled(scale).map((gap) => (
          <span key={gap.start} className={styles.gap} style={placeOf(middleOf(scale, gap))}>
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

/** Returns gaps whose labels do not overlap. Longer gaps take precedence. */
function labelled(scale: TimeScale): Gap[] {
  const chosen: Gap[] = [];
  for (const gap of [...scale.gaps].sort((a, b) => b.end - b.start - (a.end - a.start)).slice(0, 20)) {
    const place = middleOf(scale, gap);
    if (chosen.every((other) => Math.abs(middleOf(scale, other) - place) > LABEL_SHARE)) chosen.push(gap);
  }
  return chosen;
}

function middleOf(scale: TimeScale, { start, end }: Gap): number {
  return (scale.position(start) + scale.position(end)) / 2;
}

/** Positions a label. A label in the right half is right-aligned, so that it stays inside the timeline. */
function placeOf(position: number): { left: string } | { right: string } {
  return position < 0.5 ? { left: percent(position) } : { right: percent(1 - position) };
}

function percent(share: number): string {
  return `${(share * 100).toFixed(2)}%`;
}
