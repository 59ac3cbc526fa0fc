import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense } from 'react';
import { aas, type Agent, type AgentVersion } from '../data/api.js';
import { one, type Search } from '../data/search.js';
import { CapabilityChanges } from '../release/capability-changes.js';
import { useGate } from '../release/gate.js';
import { EvaluateAndPromote, ReleaseButton, ReleaseOutcome } from '../release/release-button.js';
import { useRelease } from '../release/use-release.js';
import { Choice } from '../ui/field.js';
import { Card, Columns, NotFound, Page } from '../ui/page.js';
import { Tag } from '../ui/status.js';
import styles from './compare.module.css';
import { GateCard } from './gate-card.js';
import { ProductionHistory } from './production-history.js';
import { readableText } from '../data/readable-text.js';
import { versionRange } from './version-range.js';

const TextDiff = lazy(() => import('../ui/text-diff.js').then(({ TextDiff: component }) => ({ default: component })));

export function ComparePage(): ReactNode {
  const { id = '', range: text = '' } = useParams({ strict: false });
  const range = versionRange(text);
  const { data: agent, error, isPending } = useQuery({ queryKey: ['agent', id], queryFn: () => aas.agents.get(id) });
  if (range === undefined) return <NotFound />;
  if (agent === undefined) return <Page title="Compare versions" busy={isPending} error={error} />;
  return <Comparison key={text} agent={agent} a={range[0]} b={range[1]} />;
}

interface Versions {
  agent: Agent;
  a: number;
  b: number;
}

function Comparison({ agent, a, b }: Versions): ReactNode {
  const release = useRelease(agent);
  const [before, after] = [useVersion(agent.id, a), useVersion(agent.id, b)];
  const [formerGate, gate] = [useGate(agent, a, before), useGate(agent, b, after)];
  const comparison = useQuery({
    queryKey: ['agent', agent.id, 'compare', a, b],
    queryFn: () => aas.versions.compare(agent.id, a, b),
    staleTime: Infinity,
  });
  return (
    <Page
      title={`Changes of ${agent.name} from ${a} to ${b}`}
      heading={`Changes from ${versionName(agent, a)} to ${versionName(agent, b)}`}
      above={
        <>
          <Link to="/agents">Agents</Link> /{' '}
          <Link to="/agents/$id" params={{ id: agent.id }}>
            {agent.name}
          </Link>
        </>
      }
      busy={comparison.isPending}
      error={comparison.error}
      facts={<VersionFacts agent={agent} a={a} b={b} />}
      actions={
        <>
          {gate.blocks !== null && <EvaluateAndPromote release={release} version={b} />}
          <ReleaseButton look="primary" release={release} version={b} blocks={gate.blocks} />
          {b === agent.production_version && a !== b && (
            <ReleaseButton look="primary" release={release} version={a} blocks={formerGate.blocks} />
          )}
        </>
      }
    >
      <ReleaseOutcome release={release} />
      <Columns
        main={
          <>
            <Card title="Capability changes">
              {comparison.data && <CapabilityChanges changes={comparison.data.capability_changes} />}
            </Card>
            <Text agent={agent} a={a} b={b} />
          </>
        }
        side={
          <>
            {after && <GateCard agent={agent} version={after} gate={gate} />}
            <ProductionHistory release={release} shown={[a, b]} />
          </>
        }
      />
    </Page>
  );
}

function versionName({ production_version: production }: Agent, version: number): string {
  return version === production ? `${version} (production)` : String(version);
}

function VersionFacts({ agent, a, b }: Versions): ReactNode {
  const { production_version: production } = agent;
  return (
    <>
      {production !== a && production !== b && (
        <span>
          Version {production} <Tag>production</Tag>
        </span>
      )}
      <Link to="/agents/$id/compare/$range" params={{ id: agent.id, range: `${b}...${a}` }}>
        Changes from {b} to {a}
      </Link>
      {b === agent.latest_version && (
        <Link to="/agents/$id/edit" params={{ id: agent.id }}>
          Edit definition
        </Link>
      )}
    </>
  );
}

function Text({ agent, a, b }: Versions): ReactNode {
  const search: Search = useSearch({ strict: false });
  const navigate = useNavigate();
  const before = useText(agent.id, a);
  const after = useText(agent.id, b);
  // On a phone, two texts side by side do not fit.
  const isNarrow = matchMedia('(max-width: 640px)').matches;
  const view = one(search.view) ?? 'unified';
  const show = (next: string): void =>
    void navigate({
      to: '/agents/$id/compare/$range',
      params: { id: agent.id, range: `${a}...${b}` },
      search: { ...search, view: next === 'unified' ? undefined : next },
      resetScroll: false,
    });
  return (
    <Card
      title="Definition"
      flush
      actions={
        !isNarrow && (
          <Choice
            compact
            label="View"
            value={view}
            onChange={show}
            options={[
              { value: 'unified', label: 'Unified' },
              { value: 'split', label: 'Side by side' },
            ]}
          />
        )
      }
    >
      {before === after && before !== undefined && <p className={styles.same}>The definitions are equal.</p>}
      {before !== undefined && after !== undefined && (
        <Suspense fallback={<p className={styles.same}>Comparing the definitions …</p>}>
          <TextDiff
            split={view === 'split' && !isNarrow}
            before={{ label: `Version ${a}`, text: before }}
            after={{ label: `Version ${b}`, text: after }}
          />
        </Suspense>
      )}
    </Card>
  );
}

function useVersion(agent: string, version: number): AgentVersion | undefined {
  return useQuery({
    queryKey: ['agent', agent, 'version', version],
    queryFn: () => aas.versions.get(agent, version),
  }).data;
}

function useText(agent: string, version: number): string | undefined {
  return useQuery({
    queryKey: ['definition', agent, version],
    queryFn: () => aas.versions.definition(agent, version),
    select: readableText,
    staleTime: Infinity,
  }).data;
}
