import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { aas } from '../data/api.js';
import { useCaller } from '../data/session.js';
import { ReleaseButton } from '../release/release-button.js';
import type { Release } from '../release/use-release.js';
import { Card } from '../ui/page.js';
import { Tag } from '../ui/status.js';
import { Time } from '../ui/time.js';
import { type AuditedPromotion, latestPromotions } from './audited-promotions.js';
import styles from './compare.module.css';

/**
 * Lists the latest promotions of the agent, from the audit log. A former production version has one button that
 * promotes it again. Versions in `shown` have no button.
 */
export function ProductionHistory(props: { release: Release; shown: readonly number[] }): ReactNode {
  const { release, shown } = props;
  const { agent } = release;
  const promotions = usePromotions(agent.id);
  if (promotions === undefined) return null;
  const former = new Set<number>([agent.production_version, ...shown]);
  return (
    <Card title="Promotions">
      {promotions.length === 0 && (
        <p className={styles.quiet}>
          {agent.production_version === 1
            ? 'Version 1 has been in production since the agent was created.'
            : 'The last promotions in the audit log are of other agents.'}
        </p>
      )}
      <ol className={styles.history}>
        {promotions.map(({ id, at, by, version, previous }) => {
          const isFirst = !former.has(version);
          former.add(version);
          return (
            <li key={id}>
              <div className={styles.row}>
                <strong>Version {version}</strong>
                {version === agent.production_version && <Tag>production</Tag>}
                {previous !== null && (
                  <Link
                    to="/agents/$id/compare/$range"
                    params={{ id: agent.id, range: `${previous}...${version}` }}
                  >{`${previous}...${version}`}</Link>
                )}
              </div>
              <div className={styles.quiet}>
                {by}, <Time at={at} />
              </div>
              {isFirst && <ReleaseButton release={release} version={version} />}
            </li>
          );
        })}
      </ol>
    </Card>
  );
}

/** Returns undefined while the audit log is loading, or if the person may not read the audit log. */
function usePromotions(agent: string): readonly AuditedPromotion[] | undefined {
  const caller = useCaller();
  const { data } = useQuery({
    queryKey: ['promotions', agent],
    queryFn: () => latestPromotions(aas.auditEvents.list({ action: 'agent.promote', limit: 100 }), agent),
    enabled: caller?.scopes.includes('audit:read') === true,
  });
  return data;
}
