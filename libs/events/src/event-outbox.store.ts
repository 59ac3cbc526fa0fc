import { type JsonObject, newId } from '@app/kernel';
import type { Transaction } from '@app/platform/database';
import { Injectable } from '@nestjs/common';

export interface OutgoingEvent {
  type: string;
  data: JsonObject;
}

const RECORD = 'insert into events (id, workspace_id, type, data) values ($1, $2, $3, $4)';

/** Records events in the transaction of the caller. The SQL functions that change runs record the events about runs. */
@Injectable()
export class EventOutboxStore {
  /** Returns the id of the new event. */
  async record(workspaceId: string, { type, data }: OutgoingEvent, { manager }: Transaction): Promise<string> {
    const id = newId('event');
    await manager.query(RECORD, [id, workspaceId, type, JSON.stringify(data)]);
    return id;
  }
}
