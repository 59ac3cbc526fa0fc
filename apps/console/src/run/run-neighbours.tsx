import { Link } from '@tanstack/react-router';
import { ChevronDown, ChevronUp } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { lastList, neighboursOf } from '../runs/last-list.js';
import styles from './run.module.css';

/**
 * Links to the previous and next run in the run list that the person came from. The keys `[` and `]` open these runs
 * too.
 */
export function RunNeighbours({ run }: { run: string }): ReactNode {
  const [list] = useState(lastList);
  const { previous, next } = neighboursOf(run, list?.ids ?? []);
  if (previous === undefined && next === undefined) return null;
  return (
    <span className={styles.neighbours}>
      <Neighbour run={previous} name="Previous run" shortcut="[" icon={<ChevronUp size={16} aria-hidden />} />
      <Neighbour run={next} name="Next run" shortcut="]" icon={<ChevronDown size={16} aria-hidden />} />
    </span>
  );
}

function Neighbour(props: { run: string | undefined; name: string; shortcut: string; icon: ReactNode }): ReactNode {
  const { run, name, shortcut, icon } = props;
  if (run === undefined)
    return (
      <span className={styles.neighbour} data-off>
        {icon}
      </span>
    );
  return (
    <Link
      to="/runs/$id"
      params={{ id: run }}
      className={styles.neighbour}
      aria-label={name}
      title={`${name} (${shortcut})`}
      data-shortcut={shortcut}
    >
      {icon}
    </Link>
  );
}
