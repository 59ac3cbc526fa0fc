import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useAgents } from '../data/agent-names.js';
import { aas } from '../data/api.js';
import { GUIDES_PATH } from '../data/guides.js';
import { useCaller } from '../data/session.js';
import { Button } from '../ui/button.js';
import { Card } from '../ui/page.js';
import { StatusIcon } from '../ui/status.js';
import { type FirstStep, firstSteps } from './first-steps.js';
import styles from './overview.module.css';

const STORED = 'getting-started';
const HIDDEN = 'hidden';

/** The latest runs in any mode, to see whether a person has started one. */
export const FIRST_RUNS = queryOptions({ queryKey: ['runs', 'first'], queryFn: () => aas.runs.list({ limit: 20 }) });

/** Leads a builder from an empty workspace to an agent that works by itself. Disappears when all steps are done. */
export function GettingStarted(): ReactNode {
  const mayWrite = useCaller()?.scopes.includes('agents:write') === true;
  const [isHidden, setHidden] = useState(() => localStorage.getItem(STORED) === HIDDEN);
  const steps = useSteps(!isHidden && mayWrite);
  if (steps === undefined || steps.every(({ isDone }) => isDone)) return null;
  const hide = (): void => {
    localStorage.setItem(STORED, HIDDEN);
    setHidden(true);
  };
  return (
    <Card
      title="Getting started"
      flush
      actions={
        <Button look="quiet" onClick={hide}>
          Hide
        </Button>
      }
    >
      <ol className={styles.list} aria-label="Getting started">
        {steps.map(({ name, text, path, isDone }) => (
          <li key={name} className={styles.row}>
            <StatusIcon value={isDone ? 'succeeded' : 'queued'} />
            <div className={styles.what}>
              <strong>
                {path.startsWith(GUIDES_PATH) ? (
                  <a href={path}>{name}</a>
                ) : (
                  <Link to="/$" params={{ _splat: path.slice(1) }}>
                    {name}
                  </Link>
                )}
              </strong>
              <p>{text}</p>
            </div>
            {isDone && <span className={styles.side}>done</span>}
          </li>
        ))}
      </ol>
    </Card>
  );
}

/** Returns undefined until all responses are there. */
function useSteps(enabled: boolean): FirstStep[] | undefined {
  const agents = useAgents();
  const models = useQuery({ queryKey: ['models'], queryFn: () => aas.models.list(), enabled });
  const runs = useQuery({ ...FIRST_RUNS, enabled });
  const decided = useQuery({
    queryKey: ['approvals', 'first'],
    queryFn: () => aas.approvals.list({ status: ['approved', 'rejected', 'answered'], limit: 1 }),
    enabled,
  });
  const mayInvite = useCaller()?.scopes.includes('members:manage') === true;
  const members = useQuery({
    queryKey: ['members', 'overview'],
    queryFn: () => aas.members.list({ limit: 2 }),
    enabled: enabled && mayInvite,
  });
  if (!enabled || !models.data || !runs.data || !decided.data || (mayInvite && !members.data)) return undefined;
  return firstSteps({
    agents,
    models: models.data.data,
    runs: runs.data.data,
    decided: decided.data.data,
    members: members.data?.data,
  });
}
