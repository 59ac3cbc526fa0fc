import { Injectable } from '@nestjs/common';
import { DomainError } from '@app/kernel';
import { Cursors } from '@app/platform/database';
import { ApprovalQueriesService, type ChangePosition, RunChangesService } from '@app/runs';
import { agentsOf, type Principal } from '@app/workspace';
import { presentChanges, type WorkspaceChanges } from './changes.api.js';

/** Reads the changes of a workspace. Clients get their position in the list of changes as a signed cursor. */
@Injectable()
export class ChangesReaderService {
  constructor(
    private readonly changes: RunChangesService,
    private readonly approvals: ApprovalQueriesService,
    private readonly cursors: Cursors,
  ) {}

  /**
   * Returns the changes after the position `since`, or undefined if nothing changed.
   * @throws DomainError `invalid_cursor`, `cursor_expired`
   */
  async read(principal: Principal, since: string | undefined): Promise<WorkspaceChanges | undefined> {
    const { workspaceId } = principal;
    const position = since === undefined ? undefined : this.positionOf(workspaceId, since);
    const reader = {
      ...(await this.approvals.deciderOf(principal)),
      agents: agentsOf(principal),
      readsAgents: principal.scopes.has('agents:read'),
    };
    const changes = await this.changes.changesSince(workspaceId, reader, position);
    if (!changes) return undefined;
    return presentChanges(changes, this.cursors.encode(listOf(workspaceId), JSON.stringify(changes.next)));
  }

  private positionOf(workspaceId: string, since: string): ChangePosition {
    try {
      return JSON.parse(this.cursors.decode(listOf(workspaceId), since)) as ChangePosition;
    } catch (cause) {
      if (!(cause instanceof DomainError) || cause.code === 'cursor_expired') throw cause;
      const detail =
        '`since` is not a value that this service returned as `next` of a change. Send the request again without `since`.';
      throw new DomainError('invalid_cursor', detail, { cause });
    }
  }
}

const listOf = (workspaceId: string) => ({ list: 'changes', workspaceId, order: 'asc', filters: {} }) as const;
