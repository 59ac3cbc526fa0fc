import { orUnavailable } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { Trigger } from './trigger.entity.js';

/** Reads the triggers of production versions; the database itself keeps them (sql/follow_production.sql). */
@Injectable()
export class TriggerRepository {
  constructor(@InjectRepository(Trigger) private readonly table: Repository<Trigger>) {}

  /** In the order of the definition; at most twenty. */
  async ofAgent(workspaceId: string, agentId: string): Promise<Trigger[]> {
    return orUnavailable(this.table.find({ where: { workspaceId, agentId }, order: { ordinal: 'asc' } }));
  }

  async find(workspaceId: string, agentId: string, id: string): Promise<Trigger | null> {
    return orUnavailable(this.table.findOneBy({ workspaceId, agentId, id }));
  }
}
