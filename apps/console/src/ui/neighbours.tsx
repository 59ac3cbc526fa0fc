import { Link } from '@tanstack/react-router';
import { ChevronDown, ChevronUp } from 'lucide-react';
import type { ReactNode } from 'react';
import styles from './neighbours.module.css';

export interface NeighboursProps {
  to: '/runs/$id' | '/approvals/$id';
  /** What the pages show, for example `run`. */
  noun: string;
  previous: string | undefined;
  next: string | undefined;
}

/** Links to the previous and next entry of a list. The keys `[` and `]` open them too. */
export function Neighbours({ to, noun, previous, next }: NeighboursProps): ReactNode {
  if (previous === undefined && next === undefined) return null;
  return (
    <span className={styles.neighbours}>
      <Neighbour to={to} id={previous} name={`Previous ${noun}`} shortcut="[">
        <ChevronUp size={16} aria-hidden />
      </Neighbour>
      <Neighbour to={to} id={next} name={`Next ${noun}`} shortcut="]">
        <ChevronDown size={16} aria-hidden />
      </Neighbour>
    </span>
  );
}

interface NeighbourProps extends Pick<NeighboursProps, 'to'> {
  id: string | undefined;
  name: string;
  shortcut: string;
  children: ReactNode;
}

function Neighbour({ to, id, name, shortcut, children }: NeighbourProps): ReactNode {
  if (id === undefined)
    return (
      <span className={styles.neighbour} data-off>
        {children}
      </span>
    );
  return (
    <Link
      to={to}
      params={{ id }}
      className={styles.neighbour}
      aria-label={name}
      title={`${name} (${shortcut})`}
      data-shortcut={shortcut}
    >
      {children}
    </Link>
  );
}
