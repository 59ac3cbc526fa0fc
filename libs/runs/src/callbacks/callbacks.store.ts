import type { FileReference } from '@app/files';
import { type JsonObject, storableJson } from '@app/kernel';
import { orUnavailable, type Statement, Statements } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { referring } from '../store/run-store-wire.js';
import type { CallbackPlace } from './callback-addresses.service.js';

const ACCEPT: Statement = {
  name: 'run_machine_accept_callback',
  text: 'select run_machine.accept_callback($1, $2, $3) as verdict',
};
const FIND: Statement = {
  name: 'run_machine_find_callback',
  text: `select run_machine.is_callback_open($1, $2) as verdict,
    (select r.workspace_id from runs r where r.id = $1) as "workspaceId"`,
};
const AWAITED: Statement = {
  name: 'run_machine_awaited_callbacks',
  text: 'select * from run_machine.awaited_callbacks($1, $2)',
};

/**
 * `accepted`: the callback is recorded. `closed`: the callback was received earlier, has expired, or its run has ended.
 */
export type CallbackVerdict = 'accepted' | 'closed' | 'not_found';

@Injectable()
export class CallbacksStore {
  constructor(private readonly statements: Statements) {}

  async accept(
    { runId, path }: CallbackPlace,
    body: JsonObject,
    files: readonly FileReference[] = [],
  ): Promise<CallbackVerdict> {
    const values = [runId, path, storableJson(body)];
    const about = { runId, files, verdicts: ['accepted'] };
    const [row] = await orUnavailable(
      this.statements.query<{ verdict: CallbackVerdict }>(...referring(ACCEPT, values, about)),
    );
    return row!.verdict;
  }

  async find({ runId, path }: CallbackPlace): Promise<{ verdict: CallbackVerdict; workspaceId: string | null }> {
    const [row] = await orUnavailable(
      this.statements.query<{ verdict: CallbackVerdict; workspaceId: string | null }>(FIND, [runId, path]),
    );
    return row!;
  }

  async awaited(workspaceId: string, runIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (runIds.length === 0) return new Map();
    const rows = await orUnavailable(
      this.statements.query<{ run_id: string; path: string }>(AWAITED, [workspaceId, runIds]),
    );
    return new Map(rows.map(({ run_id, path }) => [run_id, path]));
  }
}
