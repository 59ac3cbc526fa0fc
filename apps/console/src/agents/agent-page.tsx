import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { aas, type Agent } from '../data/api.js';
import { groupsOf } from '../plan/definition-needs.js';
import { LatestRuns } from '../runs/latest-runs.js';
import { Columns, Page } from '../ui/page.js';
import { ProblemAlert } from '../ui/problem.js';
import { Status } from '../ui/status.js';
import { AgentActions } from './agent-actions.js';
import { inputOrder } from './input-fields.js';
import { MissingGroups } from './missing-groups.js';
import { ProductionCard } from './production-card.js';
import { StartForm } from './start-form.js';
import { StateCard } from './state-card.js';
import { Triggers } from './triggers.js';
import { VersionsTable } from './versions-table.js';

export function AgentPage(): ReactNode {
  const { id = '' } = useParams({ strict: false });
  const { data: agent, error, isPending } = useQuery({ queryKey: ['agent', id], queryFn: () => aas.agents.get(id) });
  return (
    <Page
      title={agent?.name ?? 'Agent'}
      above={<Link to="/agents">Agents</Link>}
      busy={isPending}
      error={error}
      facts={
        agent && (
          <>
            <Status value={agent.effective_status} />
            <span>{agent.description}</span>
          </>
        )
      }
      actions={agent && <AgentActions agent={agent} />}
    >
      {agent && <AgentBody agent={agent} />}
    </Page>
  );
}

function AgentBody({ agent }: { agent: Agent }): ReactNode {
  const { data: versions, error } = useQuery({
    queryKey: ['agent', agent.id, 'versions'],
    queryFn: () => aas.versions.list(agent.id, { limit: 100 }),
  });
  // The form appears only in its final order, so that no field moves while a person types in it.
  const { data: order, isPending } = useQuery({
    queryKey: ['definition', agent.id, agent.production_version, 'input'],
    queryFn: async () => inputOrder(await aas.versions.definition(agent.id, agent.production_version)),
    staleTime: Infinity,
  });
  const production = versions?.data.find(({ version }) => version === agent.production_version);
  return (
    <>
      <ProblemAlert error={error} />
      <MissingGroups groups={groupsOf(production?.definition)} />
      <Columns
        first={<ProductionCard agent={agent} version={production} />}
        main={
          <>
            {versions && <VersionsTable agent={agent} versions={versions.data} />}
            <LatestRuns limit={LATEST} agent={agent.id} links={<RunLinks agent={agent} />} />
            <StateCard agent={agent} />
          </>
        }
        side={
          <>
            {production && !isPending && (
              <StartForm
                key={production.definition_hash}
                agent={agent}
                definition={production.definition}
                order={order ?? []}
              />
            )}
            <Triggers agent={agent} definition={production?.definition} />
          </>
        }
      />
    </>
  );
}

const LATEST = 10;

function RunLinks({ agent }: { agent: Agent }): ReactNode {
  const failed = { agent: agent.id, status: 'failed', version: String(agent.production_version) };
  return (
    <>
      <Link to="/runs" search={failed}>
        Failed since v{agent.production_version}
      </Link>
      <Link to="/runs" search={{ agent: agent.id }}>
        All runs
      </Link>
    </>
  );
}
