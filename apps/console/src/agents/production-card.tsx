import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Agent, AgentVersion } from '../data/api.js';
import { Button } from '../ui/button.js';
import { Card, Facts } from '../ui/page.js';
import { ProblemAlert } from '../ui/problem.js';
import { Status, Tag } from '../ui/status.js';
import { Time } from '../ui/time.js';
import { useGate } from '../release/gate.js';
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
            version !== undefined && (version.evaluation !== null || hasGate(version)) ? (
              <GateState key="gate" agent={agent} version={version} />
            ) : (
              'No gate defined'
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

/** Version 1 goes into production without an evaluation, so the dialog of a promotion never evaluates it. */
function GateState({ agent, version }: { agent: Agent; version: AgentVersion }): ReactNode {
  const gate = useGate(agent, version.version, version);
  const evaluation = gate.evaluation ?? version.evaluation;
  if (evaluation)
    return (
      <Link to="/$" params={{ _splat: `evaluations/${evaluation.id}` }}>
        <Status value={evaluation.status} />
      </Link>
    );
  return (
    <>
      Not evaluated{' '}
      <Button refusal={gate.refusal} onClick={gate.evaluate}>
        Evaluate
      </Button>
      <ProblemAlert error={gate.error} />
    </>
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
