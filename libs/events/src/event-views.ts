import type { JsonObject } from '@app/kernel';
import type { EventType } from './event-types.js';

/**
 * Port that converts the snapshot of an event to the `data` for subscribers. The snapshot (SQL `events.event_snapshot`)
 * contains the rows as of the commit that caused the event. The rows may have changed or been purged since.
 */
export abstract class EventViews {
  abstract dataOf(type: EventType, snapshot: JsonObject): object;
}
