export interface CallPosition {
  runId: string;
  n: number;
}

export interface UnconfirmedCall extends CallPosition {
  tool: string;
  scope: 'read' | 'write';
  startedAt: Date;
  /**
   * `started`: the call is running. `in_doubt`: a write call was aborted, and its outcome is unknown. `interrupted` and
   * `cancelled`: the call was aborted, and a repetition is safe.
   */
  state: 'started' | 'in_doubt' | 'interrupted' | 'cancelled';
}
