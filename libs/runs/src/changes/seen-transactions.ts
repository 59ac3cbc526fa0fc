import { invariant } from '@app/kernel';

/** The transactions whose changes a reader has seen: all ids below `below`, except the ids in `open`. */
export interface SeenTransactions {
  below: string;
  open: readonly string[];
}

const SNAPSHOT = /^\d+:(\d+):([\d,]*)$/;

/** Parses the text of a `pg_snapshot`. */
export function seenIn(snapshot: string): SeenTransactions {
  const [, below, open = ''] = SNAPSHOT.exec(snapshot) ?? [];
  invariant(below !== undefined, 'Postgres writes a snapshot as xmin:xmax:xip_list');
  return { below, open: open === '' ? [] : open.split(',') };
}

export interface ChangePosition {
  /** The transactions whose changes have been returned completely. */
  seen: SeenTransactions;
  /**
   * Set if there are further pages. `until` contains the transactions that the pages cover in total. `afterXid` and
   * `afterId` identify the last returned change.
   */
  rest?: { until: SeenTransactions; afterXid: string; afterId: string };
  /** The state of the workspace in the last response, as text. It is compared with the new state to detect changes. */
  state: string;
}
