import { orUnavailable, type Statement, Statements } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { TriggerEntity } from './trigger.entity.js';

export interface MailboxAgent {
  workspaceId: string;
  agentId: string;
  triggerIds: readonly string[];
  isReady: boolean;
}

interface MailboxRow {
  workspace_id: string;
  agent_id: string;
  trigger_ids: string[];
  is_ready: boolean;
}

/**
 * Another workspace that declares the same address later gets no mail for this address. Triggers with `imap` are
 * excluded, because they get their mail only from the IMAP server. The query has no workspace parameter, because the
 * address determines the workspace.
 */
const AGENTS_OF_MAILBOX: Statement = {
  name: 'mailboxes.agents',
  text: `with declared as (
      select t.workspace_id, t.agent_id, t.id, t.ordinal, t.active_since, a.status
        from triggers t join agents a on a.workspace_id = t.workspace_id and a.id = t.agent_id
       where t.mailbox = $1 and a.status <> 'archived'
         and not exists (select from mailbox_watches m where m.agent_id = t.agent_id and m.trigger_id = t.id))
    select d.workspace_id, d.agent_id, array_agg(d.id order by d.ordinal) as trigger_ids,
        d.status = 'active' and w.state = 'active' as is_ready
      from declared d join workspaces w on w.id = d.workspace_id
     where d.workspace_id = (select o.workspace_id from declared o order by o.active_since, o.workspace_id limit 1)
     group by d.workspace_id, d.agent_id, d.status, w.state
     order by d.agent_id`,
};

@Injectable()
export class TriggerRepository {
  constructor(
    @InjectRepository(TriggerEntity) private readonly table: Repository<TriggerEntity>,
    private readonly statements: Statements,
  ) {}

  async ofAgent(workspaceId: string, agentId: string): Promise<TriggerEntity[]> {
    return orUnavailable(this.table.find({ where: { workspaceId, agentId }, order: { ordinal: 'asc' } }));
  }

  async find(workspaceId: string, agentId: string, id: string): Promise<TriggerEntity | null> {
    return orUnavailable(this.table.findOneBy({ workspaceId, agentId, id }));
  }

  /** @param address in lower case */
  async agentsOfMailbox(address: string): Promise<MailboxAgent[]> {
    const rows = await this.statements.query<MailboxRow>(AGENTS_OF_MAILBOX, [address]);
    return rows.map((row) => ({
      workspaceId: row.workspace_id,
      agentId: row.agent_id,
      triggerIds: row.trigger_ids,
      isReady: row.is_ready,
    }));
  }
}
