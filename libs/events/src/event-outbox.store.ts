import { type JsonObject, newId } from '@app/kernel';
import type { Transaction } from '@app/platform/database';
import { Injectable } from '@nestjs/common';

/** An event as section 11 of the API contract defines it. */
export interface OutgoingEvent {
  type: string;
  data: JsonObject;
}

const RECORD = 'insert into events (id, workspace_id, type, data) values ($1, $2, $3, $4)';

/** Records events in the caller's transaction. The state machine of runs records the events about runs in SQL. */
@Injectable()
export class EventOutboxStore {
  /** Returns the id of the new event. */
  async record(workspaceId: string, { type, data }: OutgoingEvent, { manager }: Transaction): Promise<string> {
    const id = newId('event');
    await manager.query(RECORD, [id, workspaceId, type, JSON.stringify(data)]);
    return id;
  }
}
