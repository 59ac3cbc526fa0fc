import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { aas, type Agent, type AgentVersion } from '../data/api.js';
import { queryClient } from '../data/query-client.js';
import { useRefusal } from '../data/session.js';
import { useEvaluation } from '../evaluations/evaluation-query.js';
import { type Evaluation, gradedTrials, isRunning } from '../evaluations/evaluation-results.js';
import { Status } from '../ui/status.js';
import { Time } from '../ui/time.js';
import { CodeText } from '../ui/word.js';
import { formerProduction, promotionRefusal } from './promotion-refusal.js';
import { usePromotions } from './promotions.js';
import styles from './release.module.css';

export interface Gate {
  /** Latest evaluation of the version. Undefined if there is none, or while it is loading. */
  evaluation: Evaluation | undefined;
  error: unknown;
  evaluate: () => void;
  /** Why no evaluation can be started now, or null. */
  refusal: string | null;
  /** Why the gate blocks the promotion of the version, or null if the console finds no reason. */
  blocks: string | null;
  /** True if the version was in production before. The gate then does not apply. */
  wasInProduction: boolean;
}

/** `known` is the version, as soon as it has loaded. An evaluation can be started earlier. */
export function useGate({ id: agent }: Pick<Agent, 'id'>, version: number, known: AgentVersion | undefined): Gate {
  const scope = useRefusal('agents:run');
  const evaluate = useMutation({
    mutationFn: () => aas.versions.evaluate(agent, version),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['agent', agent] }),
  });
  const { data: evaluation, error } = useEvaluation(evaluate.data?.id ?? known?.evaluation?.id);
  const former = useFormerProduction(agent);
  const latest = known && evaluation ? { ...known, evaluation } : known;
  return {
    evaluation,
    error: evaluate.error ?? error,
    evaluate: () => evaluate.mutate(),
    refusal: scope ?? busyWith(evaluate.isPending, evaluation),
    blocks: latest && former ? promotionRefusal(latest, former.has(version)) : null,
    wasInProduction: former?.has(version) === true,
  };
}

function busyWith(isStarting: boolean, evaluation: Evaluation | undefined): string | null {
  if (isStarting) return 'The evaluation is being started.';
  return evaluation && isRunning(evaluation) ? 'An evaluation of this version is running.' : null;
}

function useFormerProduction(agent: string): ReadonlySet<number> | undefined {
  const promotions = usePromotions({ id: agent });
  return promotions && formerProduction(promotions);
}

/** The result of an evaluation, with a link to it and the reasons of the gate. */
export function GateEvidence({ evaluation }: { evaluation: Evaluation }): ReactNode {
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
            <li key={reason}>
              <CodeText text={reason} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
