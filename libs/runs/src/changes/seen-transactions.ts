import { invariant } from '@app/kernel';

/** The transactions that a reader has seen: all below `below`, except those that were open. */
export interface SeenTransactions {
  below: string;
  open: readonly string[];
}

const SNAPSHOT = /^\d+:(\d+):([\d,]*)$/;

/** Reads the text of a `pg_snapshot`. */
export function seenIn(snapshot: string): SeenTransactions {
  const [, below, open = ''] = SNAPSHOT.exec(snapshot) ?? [];
  invariant(below !== undefined, 'Postgres writes a snapshot as xmin:xmax:xip_list');
  return { below, open: open === '' ? [] : open.split(',') };
}

/** How far a reader has come. */
export interface ChangePosition {
  /** Changes of these transactions have been returned. */
  seen: SeenTransactions;
  /** While pages follow: the transactions that they cover, and the last change returned. */
  rest?: { until: SeenTransactions; afterXid: string; afterId: string };
  /** Everything else that the reader has seen, to find out whether it changed. */
  state: string;
}
