import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { aas, type Agent, type AgentVersion } from '../data/api.js';
import { queryClient } from '../data/query-client.js';
import { useRefusal } from '../data/session.js';
import { useEvaluation } from '../evaluations/evaluation-query.js';
import { type Evaluation, gradedTrials, isRunning } from '../evaluations/evaluation-results.js';
import { Button } from '../ui/button.js';
import { Card, Disclosure, Facts } from '../ui/page.js';
import { ProblemAlert } from '../ui/problem.js';
import { Status, Tag } from '../ui/status.js';
import { Time } from '../ui/time.js';
import styles from './compare.module.css';
import { EvaluationHistory } from './evaluation-history.js';
import { type GateRules, gateRules } from './version-range.js';

export function GateCard({ agent, version }: { agent: Agent; version: AgentVersion }): ReactNode {
  const evaluate = useEvaluate(agent, version.version);
  const id = evaluate.data?.id ?? version.evaluation?.id;
  const { data: evaluation, error } = useEvaluation(id);
  const rules = gateRules(version.definition);
  return (
    <Card
      title={`Gate of version ${version.version}`}
      actions={<Evaluate evaluate={evaluate} isRunning={evaluation !== undefined && isRunning(evaluation)} />}
    >
      <ProblemAlert error={evaluate.error ?? error} />
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

type Evaluating = ReturnType<typeof useEvaluate>;

function useEvaluate({ id }: Agent, version: number) {
  return useMutation({
    mutationFn: () => aas.versions.evaluate(id, version),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['agent', id] }),
  });
}

function Evaluate({ evaluate, isRunning: runs }: { evaluate: Evaluating; isRunning: boolean }): ReactNode {
  const refusal = useRefusal('agents:run');
  const busy = evaluate.isPending ? 'The evaluation is being started.' : null;
  return (
    <Button
      refusal={refusal ?? busy ?? (runs ? 'An evaluation of this version is running.' : null)}
      onClick={() => evaluate.mutate()}
    >
      Evaluate
    </Button>
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
