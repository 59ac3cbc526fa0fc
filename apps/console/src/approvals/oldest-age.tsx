import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { aas } from '../data/api.js';
import { Time } from '../ui/time.js';
import type { ApprovalQuery } from './approval-query.js';
import styles from './approvals.module.css';

export function OldestAge({ query }: { query: ApprovalQuery }): ReactNode {
  const oldest: ApprovalQuery = { ...query, sort: 'created_at', order: 'asc', limit: 1 };
  const { data } = useQuery({
    queryKey: ['approvals', 'oldest', oldest],
    queryFn: () => aas.approvals.list(oldest),
  });
  const [first] = data?.data ?? [];
  if (first === undefined) return null;
  return (
    <p className={styles.why}>
      The oldest was opened <Time at={first.opened_at} />
    </p>
  );
}
