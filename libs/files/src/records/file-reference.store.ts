import { type Statement, Statements, type Transaction } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import type { FileReference, FileRun, RunFileReference } from './file-reference.js';

const USABLE: Statement = {
  name: 'files.usable',
  text: `select f.id from files f where f.workspace_id = $1 and f.id = any ($5)
    and (f.source_run = $2 or files.is_referred(f.id, $2, $3, $4))`,
};

const COUNT: Statement = {
  name: 'files.count_of_run',
  text: `select count(*)::integer as files from (
    select file_id from file_references where run_id = $1 union select id from files where source_run = $1) x`,
};

const COLUMNS = 'file_id as file, place, step, redacted, run_id as "runId", agent_id as "agentId"';

const OF_RUN: Statement = {
  name: 'files.references_of_run',
  text: `select ${COLUMNS} from file_references where workspace_id = $1 and run_id = $2 order by place, file_id`,
};

const OF_FILES: Statement = {
  name: 'files.references_of_files',
  text: `select ${COLUMNS} from file_references where workspace_id = $1 and file_id = any ($2) order by run_id desc`,
};

/** Reads the references of runs to files. The run state machine writes them (sql/refer.sql). */
@Injectable()
export class FileReferenceStore {
  constructor(private readonly statements: Statements) {}

  /** Returns those of the ids that the run may use. */
  async usable(workspaceId: string, run: FileRun, ids: readonly string[]): Promise<string[]> {
    const values = [workspaceId, run.runId, run.agentId, run.parentRunId, ids];
    return (await this.statements.query<{ id: string }>(USABLE, values)).map(({ id }) => id);
  }

  /** Returns the number of files that the run refers to or has received. */
  async countOf(runId: string): Promise<number> {
    return (await this.statements.query<{ files: number }>(COUNT, [runId]))[0]?.files ?? 0;
  }

  /** See sql/refer.sql: an evaluation refers to files like a run. */
  async refer(
    run: { run: string; workspace: string; agent: string; parent: null; open: boolean },
    references: readonly FileReference[],
    { manager }: Transaction,
  ): Promise<void> {
    await manager.query('select files.refer($1, $2)', [JSON.stringify(run), JSON.stringify(references)]);
  }

  async end(runId: string, { manager }: Transaction): Promise<void> {
    await manager.query('select files.runs_ended($1)', [[runId]]);
  }

  ofRun(workspaceId: string, runId: string): Promise<RunFileReference[]> {
    return this.statements.query<RunFileReference>(OF_RUN, [workspaceId, runId]);
  }

  ofFiles(workspaceId: string, ids: readonly string[]): Promise<RunFileReference[]> {
    return this.statements.query<RunFileReference>(OF_FILES, [workspaceId, ids]);
  }
}
