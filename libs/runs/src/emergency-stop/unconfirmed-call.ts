export interface CallPosition {
  runId: string;
  n: number;
}

/** A call that had begun before a stop and is not known to have ended. */
export interface UnconfirmedCall extends CallPosition {
  tool: string;
  scope: 'read' | 'write';
  startedAt: Date;
  /** `started`: under way. `in_doubt`: an aborted write with unknown outcome. The others: aborted, safe to repeat. */
  state: 'started' | 'in_doubt' | 'interrupted' | 'cancelled';
}
