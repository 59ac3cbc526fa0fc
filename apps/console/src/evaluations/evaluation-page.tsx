import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { aas } from '../data/api.js';
import { queryClient } from '../data/query-client.js';
import { one, type Search } from '../data/search.js';
import { useRefusal } from '../data/session.js';
import { Button } from '../ui/button.js';
import { Choice } from '../ui/field.js';
import { formatMoney, formatPercent } from '../ui/format-values.js';
import { Card, Columns, Empty, Facts, Page } from '../ui/page.js';
import { AlertBox, ProblemAlert } from '../ui/problem.js';
import { Status } from '../ui/status.js';
import { Time } from '../ui/time.js';
import { CodeText } from '../ui/word.js';
import { CaseResults } from './case-results.js';
import { decidingText, rateRule } from './deciding-trials.js';
import { useEvaluation } from './evaluation-query.js';
import {
  type Evaluation,
  filterResults,
  gradedTrials,
  isResultFilter,
  isRunning,
  RESULT_FILTERS,
} from './evaluation-results.js';
import styles from './evaluations.module.css';

export function EvaluationPage(): ReactNode {
  const { id = '' } = useParams({ strict: false });
  const { data: evaluation, error, isPending } = useEvaluation(id);
  return (
    <Page
      title={evaluation === undefined ? 'Evaluation' : `Evaluation of ${evaluation.agent_name}`}
      above={
        evaluation && (
          <>
            <Link to="/agents">Agents</Link> /{' '}
            <Link to="/agents/$id" params={{ id: evaluation.agent }}>
              {evaluation.agent_name}
            </Link>
          </>
        )
      }
      busy={isPending}
      error={error}
      facts={evaluation && <EvaluationFacts evaluation={evaluation} />}
      actions={evaluation && isRunning(evaluation) && <Cancel evaluation={evaluation} />}
    >
      {evaluation && <EvaluationBody evaluation={evaluation} />}
    </Page>
  );
}

function EvaluationFacts({ evaluation }: { evaluation: Evaluation }): ReactNode {
  return (
    <>
      <Status value={evaluation.status} />
      <VersionLink evaluation={evaluation} />
      <span>
        started by {evaluation.created_by} <Time at={evaluation.created_at} />
      </span>
      <span>{formatMoney(evaluation.cost)}</span>
    </>
  );
}

/**
 * Links to a comparison of the evaluated version with its baseline: the version in production when the evaluation
 * began. Without a baseline, compares with the current production version.
 */
function VersionLink({ evaluation: { agent: id, version, baseline_version: baseline } }: { evaluation: Evaluation }) {
  const { data: agent } = useQuery({ queryKey: ['agent', id], queryFn: () => aas.agents.get(id) });
  const before = baseline ?? agent?.production_version;
  if (before === undefined || before === version) return <span>version {version}</span>;
  return (
    <Link to="/agents/$id/compare/$range" params={{ id, range: `${before}...${version}` }}>
      version {version}, compare with {before}
    </Link>
  );
}

function Cancel({ evaluation: { id } }: { evaluation: Evaluation }): ReactNode {
  const refusal = useRefusal('runs:cancel');
  const cancel = useMutation({
    mutationFn: () => aas.evaluations.cancel(id),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['evaluation', id] }),
  });
  return (
    <>
      <Button
        refusal={refusal ?? (cancel.isPending ? 'The cancellation is being sent.' : null)}
        onClick={() => cancel.mutate()}
      >
        Cancel evaluation
      </Button>
      <ProblemAlert error={cancel.error} />
    </>
  );
}

function EvaluationBody({ evaluation }: { evaluation: Evaluation }): ReactNode {
  const search: Search = useSearch({ strict: false });
  const navigate = useNavigate();
  const only = one(search.only) ?? '';
  const show = (value: string): void =>
    void navigate({
      to: '/evaluations/$id',
      params: { id: evaluation.id },
      search: { ...search, only: value === '' ? undefined : value },
      resetScroll: false,
    });
  return (
    <Columns
      main={
        <Card
          title="Cases"
          flush
          actions={
            <Choice
              compact
              label="Show"
              value={only}
              onChange={show}
              options={[
                { value: '', label: 'All cases' },
                ...RESULT_FILTERS.map((value) => ({ value, label: `Only ${value}` })),
                ...(isResultFilter(only) ? [] : [{ value: only }]),
              ]}
            />
          }
        >
          <Cases evaluation={evaluation} only={only} />
        </Card>
      }
      side={<Verdict evaluation={evaluation} />}
    />
  );
}

function Cases({ evaluation, only }: { evaluation: Evaluation; only: string }): ReactNode {
  if (!isResultFilter(only))
    return (
      <AlertBox
        title="Unknown filter"
        detail={`The filter \`only\` has the unknown value ${JSON.stringify(only)}.`}
        remedy={`Choose one of ${RESULT_FILTERS.join(', ')}.`}
      />
    );
  const results = filterResults(evaluation.results, only);
  if (results.length === 0)
    return (
      <Empty title={only === '' ? 'No case yet' : 'No results'}>{only === '' && 'The runs are being started.'}</Empty>
    );
  return <CaseResults results={results} baseline={evaluation.baseline_version} />;
}

function Verdict({ evaluation }: { evaluation: Evaluation }): ReactNode {
  const { agent, version, cases, pass_rate: rate, confidence_low: low, gate, results } = evaluation;
  const { data } = useQuery({
    queryKey: ['agent', agent, 'version', version],
    queryFn: () => aas.versions.get(agent, version),
  });
  const counts = gradedTrials(results);
  return (
    <Card title="Gate">
      <Facts
        facts={[
          ['Verdict', gate.result === null ? 'not yet' : <Status key="verdict" value={gate.result} />],
          ['Pass rate', rate === null ? 'not yet' : formatPercent(rate)],
          ['Lower bound', low === null ? 'not yet' : formatPercent(low)],
          ['Trials', `${counts.passed} of ${counts.trials} passed`],
          ['Cases', casesText(cases)],
          evaluation.ended_at === null ? null : ['Ended', <Time key="ended" at={evaluation.ended_at} />],
        ]}
      />
      {gate.reasons.length > 0 && (
        <ul className={styles.reasons} aria-label="Reasons">
          {gate.reasons.map((reason) => (
            <li key={reason}>
              <CodeText text={reason} />
            </li>
          ))}
        </ul>
      )}
      {data && (
        <p role="status" className={styles.deciding}>
          {decidingText(
            { ...counts, cases: results.length, otherRule: gate.reasons.length > 1 },
            rateRule(data.definition),
          )}
        </p>
      )}
    </Card>
  );
}

function casesText({ total, passed, failed, errored, inconclusive }: Evaluation['cases']): string {
  const parts = [
    [passed, 'passed'],
    [failed, 'failed'],
    [inconclusive, 'inconclusive'],
    [errored, 'errored'],
  ] as const;
  const known = parts.filter(([count]) => count > 0).map(([count, word]) => `${count} ${word}`);
  return `${total}${known.length > 0 ? `: ${known.join(', ')}` : ''}`;
}
