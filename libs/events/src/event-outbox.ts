import { type JsonObject, newId } from '@app/kernel';
import type { Transaction } from '@app/platform/database';
import { Injectable } from '@nestjs/common';

/** Something that subscribers may want to know (contract, section 11). `data` is what they are told. */
export interface OutgoingEvent {
  type: string;
  data: JsonObject;
}

const RECORD = 'insert into events (id, workspace_id, type, data) values ($1, $2, $3, $4)';

/** Writes events, in the transaction that makes them true. Events about runs are written by the run's state machine. */
@Injectable()
export class EventOutbox {
  /** The new event's id. */
  async record(workspaceId: string, { type, data }: OutgoingEvent, { manager }: Transaction): Promise<string> {
    const id = newId('event');
    await manager.query(RECORD, [id, workspaceId, type, JSON.stringify(data)]);
    return id;
  }
}
