import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Agent, AgentVersion } from '../data/api.js';
import { formerProduction, promotionRefusal } from '../release/promotion-refusal.js';
import { usePromotions } from '../release/promotions.js';
import { EvaluateAndPromote, ReleaseButton, ReleaseOutcome } from '../release/release-button.js';
import { type Release, useRelease } from '../release/use-release.js';
import { Card } from '../ui/page.js';
import { Status, Tag } from '../ui/status.js';
import table from '../ui/table.module.css';
import { Time } from '../ui/time.js';
import styles from './agents.module.css';

export function VersionsTable({ agent, versions }: { agent: Agent; versions: readonly AgentVersion[] }): ReactNode {
  const promotions = usePromotions(agent);
  const release = useRelease(agent);
  const past = formerProduction(promotions);
  return (
    <Card title="Versions" flush>
      <ReleaseOutcome release={release} />
      <div className={table.scroll}>
        <table className={`${table.table} ${styles.versions}`} aria-label="Versions">
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
                  release={release}
                  version={version}
                  blocks={promotionRefusal(version, past.has(version.version))}
                />
              ))}
          </tbody>
        </table>
      </div>
    </Card>
  );
}

interface VersionRowProps {
  release: Release;
  version: AgentVersion;
  /** Why the gate blocks the version, or null. */
  blocks: string | null;
}

function VersionRow({ release, version, blocks }: VersionRowProps): ReactNode {
  const { version: number, evaluation } = version;
  const { agent } = release;
  const production = agent.production_version;
  return (
    <tr>
      <td className={table.nowrap}>
        {number} {number === production && <Tag>production</Tag>}{' '}
        {evaluation && (
          <Link to="/$" params={{ _splat: `evaluations/${evaluation.id}` }}>
            <span className="visually-hidden">Evaluation </span>
            <Status value={evaluation.status} />
          </Link>
        )}{' '}
        {number !== production && (
          <Link to="/$" params={{ _splat: `agents/${agent.id}/compare/${production}...${number}` }}>
            Compare
          </Link>
        )}
      </td>
      <td className={`${table.muted} ${table.rest}`}>
        <Time at={version.created_at} />
        <div className={styles.second}>{version.created_by}</div>
      </td>
      <td className={table.rowActions}>
        {number !== production && (
          <div>
            {blocks !== null && <EvaluateAndPromote release={release} version={number} />}
            <ReleaseButton release={release} version={number} blocks={blocks} />
          </div>
        )}
      </td>
    </tr>
  );
}
