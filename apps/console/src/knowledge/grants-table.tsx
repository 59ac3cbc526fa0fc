import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useAgents } from '../data/agent-names.js';
import { Card, Empty } from '../ui/page.js';
import table from '../ui/table.module.css';
import { Time } from '../ui/time.js';
import { Word } from '../ui/word.js';
import styles from './knowledge.module.css';
import type { Access } from './knowledge-types.js';

/**
 * Lists the grants of a knowledge base. `agent` is the id of an agent whose grant is highlighted, for example because
 * the person comes from a run of this agent.
 */
export function GrantsTable({ grants, agent }: { grants: Access['data']; agent: string | undefined }): ReactNode {
  return (
    <Card title="Grants" flush>
      {grants.length === 0 ? (
        <Empty title="No grant yet">
          <p>No run can read this knowledge base.</p>
        </Empty>
      ) : (
        <div className={table.scroll}>
          <table className={table.table} aria-label="Grants">
            <thead>
              <tr>
                <th scope="col">Reader</th>
                <th scope="col">Granted</th>
              </tr>
            </thead>
            <tbody>
              {grants.map((grant) => (
                <GrantRow
                  key={`${grant.type} ${grant.id}`}
                  grant={grant}
                  isMarked={grant.type === 'agent' && grant.id === agent}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Card>
  );
}

function GrantRow({ grant, isMarked }: { grant: Access['data'][number]; isMarked: boolean }): ReactNode {
  const { type, id, granted_at: at, granted_by: by } = grant;
  return (
    <tr className={isMarked ? styles.marked : undefined} aria-current={isMarked || undefined}>
      <td className={styles.breaking}>
        {type === 'agent' ? <AgentName id={id} /> : id}
        <div className={styles.second}>
          <Word kind="reader" value={type} />
        </div>
      </td>
      <td>
        <Time at={at} />
        <div className={styles.second}>by {by}</div>
      </td>
    </tr>
  );
}

function AgentName({ id }: { id: string }): ReactNode {
  const agent = useAgents().find((each) => each.id === id);
  return (
    <Link to="/agents/$id" params={{ id }}>
      {agent?.name ?? id}
    </Link>
  );
}
