import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Workspace } from '../data/api.js';
import { Status } from '../ui/status.js';
import { Time } from '../ui/time.js';
import styles from './stop-page.module.css';

type Call = Workspace['in_flight'][number];

/** Lists the tool calls that may still be in progress after a stop. */
export function InFlight({ calls }: { calls: readonly Call[] }): ReactNode {
  if (calls.length === 0) return <p>No call is in flight.</p>;
  return (
    <ul className={styles.calls} aria-label="Calls in flight">
      {calls.map((call) => (
        <li key={`${call.run} ${call.n}`}>
          <Status value={call.status} />
          <Link to="/runs/$id" params={{ id: call.run }} search={{ step: String(call.n) }}>
            {call.tool}
          </Link>
          <span>{call.scope}</span>
          <span>
            since <Time at={call.started_at} />
          </span>
        </li>
      ))}
    </ul>
  );
}
