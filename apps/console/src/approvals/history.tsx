import type { ReactNode } from 'react';
import type { Approval } from '../data/api.js';
import { Card } from '../ui/page.js';
import { Tag } from '../ui/status.js';
import { Time } from '../ui/time.js';
import styles from './approvals.module.css';

export function History({ approval }: { approval: Approval }): ReactNode {
  if (approval.decisions.length === 0) return null;
  return (
    <Card title="Decisions">
      <ol className={styles.history}>
        {approval.decisions.map((each) => {
          const { via } = each as { via?: string };
          return (
            <li key={`${each.by} ${each.at}`}>
              <div>
                <strong>{each.by}</strong> {each.decision} {via !== undefined && <Tag>{via}</Tag>} <Time at={each.at} />
              </div>
              {each.comment !== null && <p>{each.comment}</p>}
            </li>
          );
        })}
      </ol>
    </Card>
  );
}
