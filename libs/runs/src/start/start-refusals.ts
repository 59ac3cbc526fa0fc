import { DomainError, notFound } from '@app/kernel';
import type { Creation, CreationVerdict } from '../records/run-commands.js';
import type { RunMode } from '../records/run-status.js';
import type { StartRun } from './new-runs.service.js';

/** Verdicts that refuse any run, also one without an idempotency key. */
export type StartRefusal = Extract<
  CreationVerdict['verdict'],
  'stopped' | 'not_found' | 'archived' | 'version_unknown' | 'conflict'
>;

/**
 * The mode of a run that the caller starts.
 * @throws DomainError `test_key_production_mode`
 */
export function modeOf({ initiator, mode }: Pick<StartRun, 'initiator' | 'mode'>): RunMode {
  if (initiator.keyKind === 'live') return mode ?? 'production';
  if (mode === 'production') {
    throw new DomainError(
      'test_key_production_mode',
      'A test key starts runs in mode `test` only. Use a live key for production.',
    );
  }
  return 'test';
}

/** The error for a run that the store refused. */
export function startRefusal(verdict: StartRefusal, { agentId, version }: Creation): DomainError {
  switch (verdict) {
    case 'stopped':
      return new DomainError(
        'workspace_stopped',
        'The workspace is stopped. Runs can be started after an admin resumes it.',
      );
    case 'archived':
      return new DomainError('agent_archived', 'The agent is archived and starts no more runs.');
    case 'not_found':
      return notFound('agent', agentId);
    case 'conflict':
      return new DomainError(
        'rate_limited',
        'The agent has as many runs as its `concurrency` allows. Try again later.',
        { retryAfterSeconds: 5 },
      );
    case 'version_unknown':
      return unknownVersion(version);
  }
}

export function keyReused(): DomainError {
  const detail = 'This Idempotency-Key was used with another body. Use a new key for a new run.';
  return new DomainError('idempotency_key_reused', detail);
}

export function unknownVersion(version: number): DomainError {
  const detail = `The agent has no version ${version}.`;
  return new DomainError('unknown_reference', detail, { errors: [{ pointer: '/version', detail }] });
}
