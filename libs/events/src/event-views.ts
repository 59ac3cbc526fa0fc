import type { JsonObject } from '@app/kernel';
import type { EventType } from './event-types.js';

/**
 * Port: turns the snapshot of an event into the `data` that subscribers see. The commit that caused the event took the
 * snapshot (SQL `events.event_snapshot`), so the rows may have changed or been purged since.
 */
export abstract class EventViews {
  abstract dataOf(type: EventType, snapshot: JsonObject): object;
}
