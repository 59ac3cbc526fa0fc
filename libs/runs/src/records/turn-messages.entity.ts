import type { JsonValue } from '@app/kernel';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What a model turn sent. Only the functions in sql/ write it. */
@Entity('turn_messages')
export class TurnMessagesEntity {
  @PrimaryColumn({ name: 'run_id', type: 'text', collation: 'C' })
  runId: string;

  @PrimaryColumn({ type: 'integer' })
  n: number;

  @Column({ name: 'workspace_id', type: 'text', collation: 'C' })
  workspaceId: string;

  /** Position of the turn of the run whose `prompt` this turn sent. */
  @Column({ name: 'prompt_n', type: 'integer' })
  promptN: number;

  @Column({ type: 'jsonb', nullable: true })
  prompt: JsonValue;

  /** The messages after the answer of the turn before. */
  @Column({ type: 'jsonb' })
  added: JsonValue;
}
