import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useEffectEvent, useState } from 'react';
import { aas, type Agent, ApiError } from '../data/api.js';
import { queryClient } from '../data/query-client.js';
import { type Evaluation, isRunning } from '../evaluations/evaluation-results.js';
import { Button, primaryLink } from '../ui/button.js';
import { Dialog, DialogActions } from '../ui/dialog.js';
import { Facts } from '../ui/page.js';
import { AlertBox, ProblemAlert } from '../ui/problem.js';
import { CapabilityChanges } from './capability-changes.js';
import { type Gate, GateEvidence, useGate } from './gate.js';
import { hasGate, releaseName } from './promotion-refusal.js';
import styles from './release.module.css';
import type { Release } from './use-release.js';

interface ReleaseDialogProps {
  release: Release;
  version: number;
}

/** Shows what the promotion of a version changes, and whether the gate permits it, before the person confirms. */
export function ReleaseDialog({ release, version }: ReleaseDialogProps): ReactNode {
  const { agent, promoter, close } = release;
  const { data: target, error } = useQuery({
    queryKey: ['agent', agent.id, 'version', version],
    queryFn: () => aas.versions.get(agent.id, version),
  });
  const gate = useGate(agent, version, target);
  const isDone = promoter.promoted?.version === version && agent.production_version === version;
  const onDone = useEffectEvent(close);
  useEffect(() => {
    if (isDone) onDone();
  }, [isDone]);
  return (
    <Dialog title={`${releaseName(agent, version)} of ${agent.name}`} isOpen onClose={close}>
      <ProblemAlert error={error ?? gate.error} />
      <Facts
        facts={[
          ['Production', `from version ${agent.production_version} to version ${version}`],
          target === undefined ? null : ['Created by', target.created_by],
          ['Runs in progress', <RunsInProgress key="runs" agent={agent} />],
        ]}
      />
      <p>
        New runs use version {version}. Runs in progress keep version {agent.production_version} until they end.
      </p>
      <Changes agent={agent} version={version} />
      {target !== undefined && <GatePart gate={gate} isGated={hasGate(target)} />}
      {promoter.overtakenBy !== null && (
        <AlertBox
          title="Production has changed"
          detail={`Another person promoted version ${promoter.overtakenBy} after you opened this page. Nothing was changed.`}
          remedy="The dialog now shows the changes from that version. Confirm again if you still want them."
        />
      )}
      <ProblemAlert error={promoter.error} />
      <Actions release={release} version={version} gate={gate} />
    </Dialog>
  );
}

/** Statuses of a run that has not ended. Such a run keeps the version with which it started. */
const UNENDED = ['queued', 'running', 'waiting_approval'] as const;
const COUNTED = 100;

function RunsInProgress({ agent }: { agent: Agent }): ReactNode {
  const { id, production_version: production } = agent;
  const { data } = useQuery({
    queryKey: ['runs', 'of', id, 'unended', production],
    queryFn: () => aas.runs.list({ agent: id, version: production, status: [...UNENDED], limit: COUNTED }),
  });
  if (data === undefined) return '…';
  const count = data.data.length;
  if (count === 0) return 'none';
  return (
    <Link to="/runs" search={{ agent: id, version: String(production), status: UNENDED.join(',') }}>
      {data.next_cursor == null ? count : `more than ${COUNTED}`}
    </Link>
  );
}

function Changes({ agent, version }: { agent: Agent; version: number }): ReactNode {
  const { id, production_version: production } = agent;
  const { data, error } = useQuery({
    queryKey: ['agent', id, 'compare', production, version],
    queryFn: () => aas.versions.compare(id, production, version),
    staleTime: Infinity,
  });
  return (
    <section className={styles.part} aria-label="Changes">
      <ProblemAlert error={error} />
      {data && <CapabilityChanges changes={data.capability_changes} />}
      <Link to="/agents/$id/compare/$range" params={{ id, range: `${production}...${version}` }}>
        Compare the definitions
      </Link>
    </section>
  );
}

function GatePart({ gate, isGated }: { gate: Gate; isGated: boolean }): ReactNode {
  const { evaluation, blocks, wasInProduction } = gate;
  const exemption = !isGated
    ? 'The definition has no gate.'
    : wasInProduction
      ? 'The version was in production before, so its gate does not apply.'
      : null;
  return (
    <section className={styles.part} aria-label="Gate">
      {exemption !== null && <p className={styles.quiet}>{exemption}</p>}
      {blocks !== null && <p>{blocks}</p>}
      {evaluation && <GateEvidence evaluation={evaluation} />}
    </section>
  );
}

/**
 * The button promotes the version. While the gate blocks it, the button evaluates the version first and promotes it
 * when the evaluation has passed.
 */
function Actions({ release, version, gate }: ReleaseDialogProps & { gate: Gate }): ReactNode {
  const { promoter, close } = release;
  const { evaluation } = gate;
  // The evaluation that was the latest one when the person asked for a new one. Null: the person has not asked.
  const [former, setFormer] = useState<string | null>(null);
  const isMissing = promoter.error instanceof ApiError && promoter.error.code === 'evaluation_required';
  const isWaiting = former !== null && gate.error === null;
  const isRunningNow = evaluation !== undefined && isRunning(evaluation);
  const ended = isWaiting && evaluation?.id !== former && !isRunningNow ? evaluation : undefined;
  const settle = useEffectEvent(({ status }: Evaluation) => {
    setFormer(null);
    if (status === 'passed') promoter.promote(version);
    else void queryClient.invalidateQueries({ queryKey: ['agent', release.agent.id] });
  });
  useEffect(() => {
    if (ended !== undefined) settle(ended);
  }, [ended]);
  const evaluate = (): void => {
    promoter.forgetError();
    setFormer(isRunningNow ? '' : (evaluation?.id ?? ''));
    if (!isRunningNow) gate.evaluate();
  };
  const waiting = isWaiting ? 'The evaluation has not ended.' : null;
  const refusal = promoter.refusal(version);
  return (
    <>
      {isWaiting && (
        <p role="status">
          The evaluation is running. The version is promoted when it has passed, unless you close this dialog.
        </p>
      )}
      <DialogActions>
        <Button onClick={close}>Cancel</Button>
        {gate.blocks !== null || isMissing ? (
          <EvaluateFirst
            evaluation={evaluation}
            isWaiting={isWaiting}
            refusal={refusal ?? waiting ?? (isRunningNow ? null : gate.refusal)}
            onEvaluate={evaluate}
          />
        ) : (
          <Button look="primary" refusal={refusal} onClick={() => promoter.promote(version)}>
            {releaseName(release.agent, version)}
          </Button>
        )}
      </DialogActions>
    </>
  );
}

interface EvaluateFirstProps {
  evaluation: Evaluation | undefined;
  isWaiting: boolean;
  refusal: string | null;
  onEvaluate: () => void;
}

/** After an evaluation that failed, its results come first: a repetition would mostly fail again. */
function EvaluateFirst({ evaluation, isWaiting, refusal, onEvaluate }: EvaluateFirstProps): ReactNode {
  const hasFailed = !isWaiting && evaluation?.status === 'failed';
  return (
    <>
      <Button look={hasFailed ? 'plain' : 'primary'} refusal={refusal} onClick={onEvaluate}>
        Evaluate and promote
      </Button>
      {hasFailed && (
        <Link className={primaryLink} to="/evaluations/$id" params={{ id: evaluation.id }}>
          Open the evaluation
        </Link>
      )}
    </>
  );
}
