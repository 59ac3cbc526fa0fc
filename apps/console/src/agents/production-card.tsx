import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Agent, AgentVersion } from '../data/api.js';
import { Card, Facts } from '../ui/page.js';
import { Status, Tag } from '../ui/status.js';
import { Time } from '../ui/time.js';
import { hasGate } from '../release/promotion-refusal.js';
import { promotionOf, usePromotions } from '../release/promotions.js';
import { BudgetBar } from './budget-bar.js';

export function ProductionCard({ agent, version }: { agent: Agent; version: AgentVersion | undefined }): ReactNode {
  const promotions = usePromotions(agent);
  const promotion = version && promotions && promotionOf(version, promotions);
  return (
    <Card title="Production">
      <Facts
        facts={[
          ['Version', <VersionNumber key="version" agent={agent} />],
          promotion ? ['Since', <Time key="since" at={promotion.at} />] : null,
          promotion ? ['By', promotion.by] : null,
          [
            'Gate',
            version?.evaluation ? (
              <Link key="gate" to="/$" params={{ _splat: `evaluations/${version.evaluation.id}` }}>
                <Status value={version.evaluation.status} />
              </Link>
            ) : version === undefined || !hasGate(version) ? (
              'No gate defined'
            ) : (
              'Not evaluated'
            ),
          ],
          agent.budget === null ? null : ['Budget', <BudgetBar key="budget" budget={agent.budget} />],
          agent.mcp_tool === null ? null : ['Assistants', `Exposed as tool ${agent.mcp_tool}`],
          agent.project === null ? null : ['Project', agent.project],
        ]}
      />
    </Card>
  );
}

function VersionNumber({ agent }: { agent: Agent }): ReactNode {
  const { id, production_version: production, latest_version: latest } = agent;
  return (
    <>
      <strong>{production}</strong>{' '}
      {latest === production ? (
        <Tag>latest</Tag>
      ) : (
        <>
          <Tag>latest is {latest}</Tag>{' '}
          <Link to="/$" params={{ _splat: `agents/${id}/compare/${production}...${latest}` }}>
            Compare {production} with {latest}
          </Link>
        </>
      )}
    </>
  );
}
