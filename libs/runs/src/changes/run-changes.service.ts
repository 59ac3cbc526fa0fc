import { DomainError } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import type { Decider } from '../records/approval-status.js';
import { type ChangedRun, type PresentState, type ReadChanges, RunChangesStore } from './run-changes.store.js';
import { type ChangePosition, seenIn } from './seen-transactions.js';

const PAGE = 100;

export interface Changes extends PresentState {
  runs: readonly ChangedRun[];
  next: ChangePosition;
}

/** Returns the changes in a workspace since an earlier read, for clients that poll. */
@Injectable()
export class RunChangesService {
  constructor(private readonly store: RunChangesStore) {}

  /**
   * Returns the current state of the workspace and at most 100 runs that changed after `position`, earliest change
   * first. No change is lost, but a run that changes between two pages may be on both pages. Without `position`,
   * returns no runs. Returns null if nothing has changed.
   * @throws DomainError `cursor_expired` if `position` is ahead of the database, because an older backup was restored
   */
  async changesSince(
    workspaceId: string,
    decider: Decider,
    position: ChangePosition | undefined,
  ): Promise<Changes | null> {
    const read = await this.store.readChanges(workspaceId, decider, position, PAGE + 1);
    if (position && BigInt(position.seen.below) > BigInt(seenIn(read.snapshot).below)) throw restored();
    const next = positionAfter(read, position);
    if (position && !position.rest && read.runs.length === 0 && next.state === position.state) return null;
    return { ...read.state, runs: read.runs.slice(0, PAGE), next };
  }
}

function positionAfter({ state, snapshot, runs }: ReadChanges, position: ChangePosition | undefined): ChangePosition {
  const text = [state.status, state.epoch, state.approvalsOpen, state.approvalsMine].join(' ');
  const until = position?.rest?.until ?? seenIn(snapshot);
  const last = runs.length > PAGE ? runs[PAGE - 1] : undefined;
  if (!position || !last) return { seen: until, state: text };
  return { seen: position.seen, rest: { until, afterXid: last.xid, afterId: last.id }, state: text };
}

function restored(): DomainError {
  return new DomainError(
    'cursor_expired',
    'The database was restored to a state that is older than the cursor. Start again without `since`.',
  );
}
