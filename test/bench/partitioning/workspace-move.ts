export interface StoredWorkspace {
  /** Average number of runs per day. */
  runsPerDay: number;
  /** Rows that are kept as long as the run: the run itself, its entry of the list and its event. */
  rowsPerRun: number;
  /** Rows that are kept as long as the trace: the steps. */
  stepsPerRun: number;
  /** Retention of runs and of traces. */
  runDays: number;
  traceDays: number;
}

export interface MoveSpeed {
  /** Rows per second that one stream copies from one server to the other, with all indexes. */
  rowsPerSecond: number;
  /** Seconds in which all processes learn the new server: the maximum age of their caches. */
  switchSeconds: number;
  /** Passes continue until the next pass takes at most this number of seconds. */
  lastPassSeconds: number;
}

export interface WorkspaceMove {
  rows: number;
  /** Duration of all passes. */
  copySeconds: number;
  passes: number;
  /** Time for which the workspace is stopped, if only the last pass runs during the stop. */
  stopSeconds: number;
  /** Time for which the workspace is stopped, if all rows are copied during the stop. */
  stopSecondsAtOnce: number;
}

const DAY_SECONDS = 86_400;

export function rowsOf({ runsPerDay, rowsPerRun, stepsPerRun, runDays, traceDays }: StoredWorkspace): number {
  return runsPerDay * (runDays * rowsPerRun + traceDays * stepsPerRun);
}

/**
 * Computes a move in passes: the first pass copies all rows while the workspace runs, and each further pass copies the
 * rows that were added or changed during the pass before it. The workspace is stopped during the last pass.
 *
 * @throws if the workspace adds rows faster than they are copied, so that the passes do not become shorter
 */
export function moveOf(workspace: StoredWorkspace, speed: MoveSpeed): WorkspaceMove {
  const rows = rowsOf(workspace);
  // Each run adds its rows, and each of them is changed about once before the run ends.
  const changedPerSecond = (2 * workspace.runsPerDay * (workspace.rowsPerRun + workspace.stepsPerRun)) / DAY_SECONDS;
  const ratio = changedPerSecond / speed.rowsPerSecond;
  if (ratio >= 1) throw new Error('The workspace adds rows faster than they can be copied.');
  let seconds = rows / speed.rowsPerSecond;
  let [copySeconds, passes] = [seconds, 1];
  while (seconds > speed.lastPassSeconds) {
    seconds *= ratio;
    copySeconds += seconds;
    passes += 1;
  }
  return {
    rows,
    copySeconds,
    passes,
    stopSeconds: speed.switchSeconds + seconds,
    stopSecondsAtOnce: speed.switchSeconds + rows / speed.rowsPerSecond,
  };
}
