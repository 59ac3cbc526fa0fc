import type { JsonValue } from '@app/kernel';
import { orUnavailable } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { RunStepEntity } from '../records/run-step.entity.js';
import { TurnMessagesEntity } from '../records/turn-messages.entity.js';

/** The members that begin with `promptN` are null if the messages of the turn were not recorded. */
export interface RecordedTurn {
  n: number;
  path: string;
  output: JsonValue;
  promptN: number | null;
  prompt: JsonValue;
  added: JsonValue;
}

@Injectable()
export class TranscriptsRepository {
  constructor(@InjectRepository(RunStepEntity) private readonly steps: Repository<RunStepEntity>) {}

  /** Returns up to `limit` turns, in the order of the trace. */
  async turnsAfter(
    workspaceId: string,
    runId: string,
    { afterN, limit }: { afterN: number; limit: number },
  ): Promise<RecordedTurn[]> {
    const query = this.steps
      .createQueryBuilder('step')
      .leftJoin(
        TurnMessagesEntity,
        'sent',
        'sent.run_id = step.run_id and sent.n = step.n and sent.workspace_id = step.workspace_id',
      )
      .select('step.n', 'n')
      .addSelect('step.path', 'path')
      .addSelect('step.output', 'output')
      .addSelect('sent.prompt_n', 'promptN')
      .addSelect('sent.prompt', 'prompt')
      .addSelect('sent.added', 'added')
      .where(
        `step.workspaceId = :workspaceId and step.runId = :runId and step.type = 'model_call' and step.n > :afterN`,
        {
          workspaceId,
          runId,
          afterN,
        },
      )
      .orderBy('step.n')
      .limit(limit);
    return orUnavailable(query.getRawMany<RecordedTurn>());
  }
}
