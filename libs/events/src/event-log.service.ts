import { type Page, type PageRequest, toPage } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { EventRepository } from './event.repository.js';
import type { EventFilter, RecordedEvent } from './recorded-event.js';

/** The events of a workspace, for subscribers that missed a delivery or want to read one again. */
@Injectable()
export class EventLog {
  constructor(private readonly events: EventRepository) {}

  async list(workspaceId: string, filter: EventFilter, page: PageRequest): Promise<Page<RecordedEvent>> {
    return toPage(await this.events.page(workspaceId, filter, page), page.limit);
  }
}
