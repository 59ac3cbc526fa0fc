import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { aas, type Agent, type AgentVersion } from '../data/api.js';
import { queryClient } from '../data/query-client.js';
import { useRefusal } from '../data/session.js';
import { Button } from '../ui/button.js';
import { Card } from '../ui/page.js';
import { ProblemAlert } from '../ui/problem.js';
import { Status, Tag } from '../ui/status.js';
import table from '../ui/table.module.css';
import { Time } from '../ui/time.js';
import styles from './agents.module.css';
import { formerProduction, promotionRefusal } from './promotion-refusal.js';
import { usePromotions } from './promotions.js';

export function VersionsTable({ agent, versions }: { agent: Agent; versions: readonly AgentVersion[] }): ReactNode {
  const promotions = usePromotions(agent);
  const refusal = useRefusal('agents:promote');
  const promote = useMutation({
    mutationFn: (version: number) => aas.versions.promote(agent.id, version),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['agent', agent.id] }),
  });
  const general =
    refusal ??
    (agent.status === 'archived' ? 'The agent is archived.' : null) ??
    (promote.isPending ? 'A promotion is being sent.' : null);
  const past = formerProduction(promotions);
  return (
    <Card title="Versions" flush>
      <ProblemAlert error={promote.error} />
      <div className={table.scroll}>
        <table className={table.table} aria-label="Versions">
          <thead>
            <tr>
              <th scope="col">Version</th>
              <th scope="col">Created</th>
              <th scope="col">
                <span className="visually-hidden">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {[...versions]
              .sort((a, b) => b.version - a.version)
              .map((version) => (
                <VersionRow
                  key={version.version}
                  agent={agent}
                  version={version}
                  refusal={general ?? promotionRefusal(version, past.has(version.version))}
                  onPromote={() => promote.mutate(version.version)}
                />
              ))}
          </tbody>
        </table>
      </div>
    </Card>
  );
}

interface VersionRowProps {
  agent: Agent;
  version: AgentVersion;
  refusal: string | null;
  onPromote: () => void;
}

function VersionRow({ agent, version, refusal, onPromote }: VersionRowProps): ReactNode {
  const { version: number, evaluation } = version;
  const production = agent.production_version;
  return (
    <tr>
      <td className={table.nowrap}>
        {number} {number === production && <Tag>production</Tag>}{' '}
        {evaluation && (
          <Link to="/$" params={{ _splat: `evaluations/${evaluation.id}` }}>
            <Status value={evaluation.status} />
          </Link>
        )}
      </td>
      <td className={table.muted}>
        <Time at={version.created_at} />
        <div className={styles.second}>{version.created_by}</div>
      </td>
      <td className={table.rowActions}>
        {number !== production && (
          <div>
            <Link
              className={styles.rowLink}
              to="/$"
              params={{ _splat: `agents/${agent.id}/compare/${production}...${number}` }}
            >
              Compare
            </Link>
            <Button refusal={refusal} onClick={onPromote}>
              Promote version {number}
            </Button>
          </div>
        )}
      </td>
    </tr>
  );
}
