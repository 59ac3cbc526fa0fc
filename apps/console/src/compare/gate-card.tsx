import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { aas, type Agent, type AgentVersion } from '../data/api.js';
import { queryClient } from '../data/query-client.js';
import { useRefusal } from '../data/session.js';
import { useEvaluation } from '../evaluations/evaluation-query.js';
import { type Evaluation, gradedTrials, isRunning } from '../evaluations/evaluation-results.js';
import { Card, Disclosure, Facts } from '../ui/page.js';
import { ProblemAlert } from '../ui/problem.js';
import { Status, Tag } from '../ui/status.js';
import { Time } from '../ui/time.js';
import styles from './compare.module.css';
import { EvaluationHistory } from './evaluation-history.js';
import { type GateRules, gateRules } from './version-range.js';

export interface Gate {
  /** Latest evaluation of the version. Undefined if there is none, or while it is loading. */
  evaluation: Evaluation | undefined;
  error: unknown;
  evaluate: () => void;
  /** Why no evaluation can be started now, or null. */
  refusal: string | null;
}

/** `known` is the version, as soon as it has loaded. An evaluation can be started earlier. */
export function useGate({ id: agent }: Agent, version: number, known: AgentVersion | undefined): Gate {
  const scope = useRefusal('agents:run');
  const evaluate = useMutation({
    mutationFn: () => aas.versions.evaluate(agent, version),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['agent', agent] }),
  });
  const { data: evaluation, error } = useEvaluation(evaluate.data?.id ?? known?.evaluation?.id);
  const busy = evaluate.isPending ? 'The evaluation is being started.' : null;
  const running = evaluation && isRunning(evaluation) ? 'An evaluation of this version is running.' : null;
  return {
    evaluation,
    error: evaluate.error ?? error,
    evaluate: () => evaluate.mutate(),
    refusal: scope ?? busy ?? running,
  };
}

export function GateCard(props: { agent: Agent; version: AgentVersion; gate: Gate }): ReactNode {
  const { agent, version, gate } = props;
  const { evaluation } = gate;
  const rules = gateRules(version.definition);
  return (
    <Card title={`Gate of version ${version.version}`}>
      <ProblemAlert error={gate.error} />
      {rules === undefined ? (
        <p>The definition has no gate, so the version can be promoted without an evaluation.</p>
      ) : (
        <Facts facts={rules.gate.map(([name, value]) => [name, value] as const)} />
      )}
      {evaluation ? <Evidence evaluation={evaluation} /> : <p>This version has not been evaluated yet.</p>}
      {rules && <Cases rules={rules} evaluation={evaluation} />}
      {evaluation && (
        <Disclosure summary="All evaluations of this version">
          <EvaluationHistory agent={agent.id} version={version.version} />
        </Disclosure>
      )}
    </Card>
  );
}

function Evidence({ evaluation }: { evaluation: Evaluation }): ReactNode {
  const counts = gradedTrials(evaluation.results);
  return (
    <div className={styles.evidence}>
      <div role="status" className={styles.row}>
        <Status value={evaluation.status} />
        <Link to="/evaluations/$id" params={{ id: evaluation.id }}>
          Open evaluation
        </Link>
        <span className={styles.quiet}>
          <Time at={evaluation.ended_at ?? evaluation.created_at} />, {counts.passed} of {counts.trials} trials passed
        </span>
      </div>
      {evaluation.gate.reasons.length > 0 && (
        <ul className={styles.reasons} aria-label="Reasons">
          {evaluation.gate.reasons.map((reason) => (
            <li key={reason}>{reason}</li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Cases({ rules, evaluation }: { rules: GateRules; evaluation: Evaluation | undefined }): ReactNode {
  const statusOf = (name: string): string | undefined =>
    evaluation?.results.find((result) => result.case === name)?.status;
  return (
    <ul className={styles.cases} aria-label="Cases">
      {rules.cases.map(({ name, tags, assertions }) => (
        <li key={name}>
          <span>{name}</span>
          {tags.map((tag) => (
            <Tag key={tag}>{tag}</Tag>
          ))}
          <span className={styles.quiet}>{assertions === 1 ? '1 assertion' : `${assertions} assertions`}</span>
          <Status value={statusOf(name) ?? 'not evaluated'} />
        </li>
      ))}
      {rules.replaysRuns && (
        <li>
          <span>Recorded runs are replayed as well.</span>
        </li>
      )}
    </ul>
  );
}
