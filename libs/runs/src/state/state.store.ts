import type { JsonObject, JsonValue } from '@app/kernel';
import { type Statement, Statements, type Transaction } from '@app/platform/database';
import { Injectable } from '@nestjs/common';

const ENTRY = 'value, version, updated_at, expires_at';
const statement = (operation: string, text: string): Statement => ({ name: `run_machine_${operation}_state`, text });
const write = (operation: string, parameters: number): Statement => {
  const values = Array.from({ length: parameters }, (_, i) => `$${i + 1}`).join(', ');
  return statement(operation, `select verdict, ${ENTRY} from run_machine.${operation}_state(${values})`);
};

const GET = statement('get', `select key, ${ENTRY} from run_machine.live_state($1, $2, $3, $4) s where s.key = $5`);
const LIST = statement('list', `select key, ${ENTRY} from run_machine.list_state($1, $2, $3, $4, $5, $6, $7)`);
const PUT = write('put', 12);
const INCREMENT = write('increment', 11);
const DELETE = write('delete', 9);

/** Maximum number of keys in the state of one agent or one workspace. */
export const MAX_KEYS = 10_000;

export interface StateView {
  workspaceId: string;
  ownerId: string;
  /** Null selects the stored state. */
  copyOf: string | null;
  /** If null, the stored state provides the initial values. */
  begin: JsonObject | null;
}

/** `attempt` is the fencing token of the run. */
export interface WritingCall {
  runId: string;
  attempt: number;
  path: string;
}

export interface StateEntry {
  key: string;
  value: JsonValue;
  version: number;
  updatedAt: Date;
  expiresAt: Date | null;
}

/** `last` is the key after which the next page begins, or null if there is no next page. */
export interface StatePage {
  data: StateEntry[];
  last: string | null;
}

export interface StatePageRequest {
  prefix: string;
  after: string;
  limit: number;
}

/** After an increment, `value` is the new number. After a deletion, `value` states whether the key existed. */
export type StateWrite =
  | { verdict: 'ok' | 'repeated'; value: JsonValue; version: number; updatedAt: Date; expiresAt: Date | null }
  | { verdict: 'conflict'; version: number }
  | { verdict: 'fenced' | 'full' | 'no_number' };

interface EntryRow {
  key: string;
  value: JsonValue;
  version: string;
  updated_at: Date;
  expires_at: Date | null;
}

type WriteRow = Omit<EntryRow, 'key'> & { verdict: StateWrite['verdict'] };

/** A page contains at least one entry. */
const MAX_CHARACTERS = 256 * 1024;

/**
 * A write by a call of a run takes effect only once. The commit of the write also records the result, under the run id
 * and the path of the call. If the call is repeated, it gets the recorded result.
 */
@Injectable()
export class StateStore {
  constructor(private readonly statements: Statements) {}

  async readEntry(view: StateView, key: string): Promise<StateEntry | undefined> {
    const [row] = await this.statements.query<EntryRow>(GET, [...viewValues(view), key]);
    return row && entryOf(row);
  }

  async readPage(view: StateView, { prefix, after, limit }: StatePageRequest): Promise<StatePage> {
    const values = [...viewValues(view), prefix, after, limit + 1];
    const rows = await this.statements.query<EntryRow>(LIST, values);
    const data: StateEntry[] = [];
    let characters = 0;
    for (const entry of rows.slice(0, limit).map(entryOf)) {
      characters += JSON.stringify(entry.value).length;
      if (data.length > 0 && characters > MAX_CHARACTERS) break;
      data.push(entry);
    }
    return { data, last: data.length < rows.length ? (data.at(-1)?.key ?? null) : null };
  }

  async putEntry(
    view: StateView,
    call: WritingCall,
    entry: { key: string; value: JsonValue; ttlMs: number | null; ifVersion: number | null },
  ): Promise<StateWrite> {
    const { key, value, ttlMs, ifVersion } = entry;
    return this.write(PUT, [...writeValues(view, call, key), MAX_KEYS, JSON.stringify(value), ttlMs, ifVersion]);
  }

  async increment(
    view: StateView,
    call: WritingCall,
    { key, by, ttlMs }: { key: string; by: number; ttlMs: number | null },
  ): Promise<StateWrite> {
    return this.write(INCREMENT, [...writeValues(view, call, key), MAX_KEYS, by, ttlMs]);
  }

  async deleteEntry(
    view: StateView,
    call: WritingCall,
    { key, ifVersion }: { key: string; ifVersion: number | null },
  ): Promise<StateWrite> {
    return this.write(DELETE, [...writeValues(view, call, key), ifVersion]);
  }

  async deleteState(
    { workspaceId, ownerId }: Pick<StateView, 'workspaceId' | 'ownerId'>,
    key: string | undefined,
    { manager }: Transaction,
  ): Promise<number> {
    const [, deleted] = await manager.query<[unknown, number]>(
      `delete from state_entries where workspace_id = $1 and owner_id = $2 and run_id = '' and ($3::text is null or key = $3)`,
      [workspaceId, ownerId, key ?? null],
    );
    return deleted;
  }

  private async write(operation: Statement, values: readonly unknown[]): Promise<StateWrite> {
    const [row] = await this.statements.query<WriteRow>(operation, values);
    const { verdict, value, version, updated_at: updatedAt, expires_at: expiresAt } = row!;
    switch (verdict) {
      case 'ok':
      case 'repeated':
        return { verdict, value, version: Number(version), updatedAt, expiresAt };
      case 'conflict':
        return { verdict, version: Number(version) };
      case 'fenced':
      case 'full':
      case 'no_number':
        return { verdict };
    }
  }
}

function viewValues({ workspaceId, ownerId, copyOf, begin }: StateView): unknown[] {
  return [workspaceId, ownerId, copyOf ?? '', begin && JSON.stringify(begin)];
}

function writeValues(view: StateView, { runId, attempt, path }: WritingCall, key: string): unknown[] {
  const [workspaceId, ...rest] = viewValues(view);
  return [workspaceId, runId, attempt, path, ...rest, key];
}

function entryOf({ key, value, version, updated_at: updatedAt, expires_at: expiresAt }: EntryRow): StateEntry {
  return { key, value, version: Number(version), updatedAt, expiresAt };
}
