export interface CallPosition {
  runId: string;
  n: number;
}

/** A call that began before a stop and has no confirmed response. */
export interface UnconfirmedCall extends CallPosition {
  tool: string;
  scope: 'read' | 'write';
  startedAt: Date;
  /**
   * `started`: running. `in_doubt`: an aborted write with unknown outcome. `interrupted` and `cancelled`: aborted, and
   * safe to repeat.
   */
  state: 'started' | 'in_doubt' | 'interrupted' | 'cancelled';
}
