import { Injectable } from '@nestjs/common';
import { Cursors } from '@app/platform/database';
import { presentEntry, type StateOwner, StateService } from '@app/runs';
import type { ListStateQuery, StatePageResource } from './state.api.js';

/** Reads pages of state. A cursor is valid only for the owner and prefix for which it was created. */
@Injectable()
export class StatePagesService {
  constructor(
    private readonly cursors: Cursors,
    private readonly state: StateService,
  ) {}

  /** @throws DomainError `invalid_cursor`, `cursor_mismatch`, `cursor_expired` */
  async readPage(workspaceId: string, owner: StateOwner, query: ListStateQuery): Promise<StatePageResource> {
    const { prefix, limit, cursor } = query;
    const list = owner.kind === 'agent' ? `agents/${owner.agentId}/state` : 'workspace/state';
    const identity = { list, workspaceId, order: 'asc', filters: { prefix } } as const;
    const after = cursor === undefined ? '' : this.cursors.decode(identity, cursor);
    const { data, last } = await this.state.readPage(workspaceId, owner, { prefix, after, limit });
    return { data: data.map(presentEntry), next_cursor: last === null ? null : this.cursors.encode(identity, last) };
  }
}
