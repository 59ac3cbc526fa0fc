import { invariant } from '@app/kernel';

/** The transactions that a reader has seen: those with an id below `below`, except those in `open`. */
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
  /** The transactions whose changes have been returned. */
  seen: SeenTransactions;
  /**
   * Set if further pages follow. `until` are the transactions that all pages cover. The other fields name the last
   * returned change.
   */
  rest?: { until: SeenTransactions; afterXid: string; afterId: string };
  /** The other data of the last response, to detect whether it has changed. */
  state: string;
}
