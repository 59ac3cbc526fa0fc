import { type Statement, Statements } from '@app/platform/database';
import { Tracing } from '@app/platform/observability';
import { Injectable } from '@nestjs/common';
import type { ClaimedRun } from '../records/run-commands.js';

const TRACEPARENT: Statement = {
  name: 'runs.traceparent',
  text: 'select traceparent from runs where workspace_id = $1 and id = $2',
};

/** Attempts at runs as spans of the trace that accepted them. */
@Injectable()
export class RunTraces {
  constructor(
    private readonly tracing: Tracing,
    private readonly statements: Statements,
  ) {}

  /** While traces are sent this costs the attempt one statement more, otherwise nothing. */
  async during(run: ClaimedRun, work: () => Promise<void>): Promise<void> {
    if (!this.tracing.isOn) return work();
    const parent = await this.traceparent(run);
    const attributes = {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.id': run.agentId,
      'messaging.operation.type': 'process',
      'messaging.destination.name': 'runs',
      'messaging.message.id': run.id,
      'aas.workspace.id': run.workspaceId,
      'aas.agent.version': run.version,
      'aas.run.attempt': run.attempt,
      'aas.run.mode': run.mode,
    };
    await this.tracing.during(() => ({ name: 'invoke_agent', kind: 'consumer', parent, attributes }), work);
  }

  /** Null where nobody told, and where the database does not say: the trace then begins here. */
  private async traceparent({ workspaceId, id }: ClaimedRun): Promise<string | null> {
    const read = this.statements.query<{ traceparent: string | null }>(TRACEPARENT, [workspaceId, id]);
    const rows = await read.catch(() => []);
    return rows[0]?.traceparent ?? null;
  }
}
