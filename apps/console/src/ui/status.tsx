import {
  ArrowRightCircle,
  Ban,
  CheckCircle2,
  CircleDashed,
  CircleHelp,
  Hand,
  Loader,
  Pause,
  RotateCw,
  TriangleAlert,
  XCircle,
} from 'lucide-react';
import type { ComponentType, ReactNode } from 'react';
import styles from './status.module.css';
import { Word } from './word.js';

type Tone = 'green' | 'red' | 'amber' | 'blue' | 'violet' | 'grey';
type Icon = ComponentType<{ size?: number; 'aria-hidden'?: boolean }>;

const LOOKS: Readonly<Record<string, readonly [Tone, Icon]>> = {
  succeeded: ['green', CheckCircle2],
  passed: ['green', CheckCircle2],
  approved: ['green', CheckCircle2],
  answered: ['green', CheckCircle2],
  active: ['green', CheckCircle2],
  ok: ['green', CheckCircle2],
  started: ['green', CheckCircle2],
  enabled: ['green', CheckCircle2],
  delivered: ['green', CheckCircle2],
  completed: ['green', CheckCircle2],
  searchable: ['green', CheckCircle2],
  failed: ['red', XCircle],
  error: ['red', XCircle],
  rejected: ['red', XCircle],
  refused: ['red', XCircle],
  errored: ['red', XCircle],
  denied: ['red', Ban],
  stopped: ['red', Ban],
  running: ['blue', Loader],
  queued: ['grey', CircleDashed],
  pending: ['grey', CircleDashed],
  syncing: ['blue', Loader],
  indexing: ['blue', Loader],
  building: ['blue', Loader],
  embedding: ['blue', Loader],
  completed_with_errors: ['amber', TriangleAlert],
  waiting: ['amber', Pause],
  paused: ['amber', Pause],
  waiting_approval: ['amber', Hand],
  awaiting_approval: ['amber', Hand],
  open: ['amber', Hand],
  retrying: ['amber', RotateCw],
  in_doubt: ['amber', CircleHelp],
  inconclusive: ['amber', CircleHelp],
  ending: ['amber', TriangleAlert],
  ended: ['red', Ban],
  expired: ['grey', Ban],
  cancelled: ['grey', Ban],
  disabled: ['grey', Ban],
  archived: ['grey', Ban],
  handed_off: ['violet', ArrowRightCircle],
};

/** Shows a status with a colour and an icon. Its name in the API is the title. */
export function Status({ value }: { value: string }): ReactNode {
  const [tone, Icon] = LOOKS[value] ?? ['grey', CircleDashed];
  return (
    <span className={`${styles.status} ${styles[tone]}`} data-status={value}>
      <Icon size={13} aria-hidden />
      <Word kind="status" value={value} />
    </span>
  );
}

/**
 * Shows only the icon of a status. Use it beside a text with the same meaning, because screen readers skip the icon.
 */
export function StatusIcon({ value }: { value: string }): ReactNode {
  const [tone, Icon] = LOOKS[value] ?? ['grey', CircleDashed];
  return (
    <span className={`${styles.icon} ${styles[tone]}`} data-status={value}>
      <Icon size={14} aria-hidden />
    </span>
  );
}

export function Tag({ children }: { children: ReactNode }): ReactNode {
  return <span className={styles.tag}>{children}</span>;
}
