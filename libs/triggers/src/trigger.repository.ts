import { orUnavailable } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { TriggerEntity } from './trigger.entity.js';

/** Reads the triggers of production versions. sql/follow_production.sql writes them. */
@Injectable()
export class TriggerRepository {
  constructor(@InjectRepository(TriggerEntity) private readonly table: Repository<TriggerEntity>) {}

  /** In the order of the definition; at most twenty. */
  async ofAgent(workspaceId: string, agentId: string): Promise<TriggerEntity[]> {
    return orUnavailable(this.table.find({ where: { workspaceId, agentId }, order: { ordinal: 'asc' } }));
  }

  async find(workspaceId: string, agentId: string, id: string): Promise<TriggerEntity | null> {
    return orUnavailable(this.table.findOneBy({ workspaceId, agentId, id }));
  }
}
