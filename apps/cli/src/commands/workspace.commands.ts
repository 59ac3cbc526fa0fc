import type { Command } from 'commander';
import type { Cli } from '../session/cli.js';

export function configureStatus(status: Command, cli: Cli): void {
  status.action(
    cli.action(async () => {
      const { aas, address } = await cli.connection();
      const [workspace, changes] = await Promise.all([aas.workspace.get(), aas.changes.read()]);
      await cli.output.object({ address, workspace, approvals_open: changes?.approvals_open ?? 0 }, workspace.name);
    }),
  );
}

export function configureStop(stop: Command, cli: Cli): void {
  stop
    .option('--reason <text>', 'reason for the stop, visible to all members')
    .option('--cancel-runs', 'cancel open runs instead of suspending them')
    .action(
      cli.action(async ({ reason, cancelRuns }: { reason?: string; cancelRuns?: boolean }) => {
        const aas = await cli.client();
        const stopped = await aas.workspace.stop({
          ...(reason !== undefined && { reason }),
          ...(cancelRuns && { runs: 'cancel' }),
        });
        await cli.output.object(stopped, stopped.status);
      }),
    );
}

export function configureResume(resume: Command, cli: Cli): void {
  resume
    .option('--reason <text>', 'reason for the end of the stop')
    .option('--cancel-queued', 'cancel the runs that wait in the queue')
    .action(
      cli.action(async ({ reason, cancelQueued }: { reason?: string; cancelQueued?: boolean }) => {
        const aas = await cli.client();
        const workspace = await aas.workspace.resume({
          ...(reason !== undefined && { reason }),
          ...(cancelQueued && { queued_runs: 'cancel' }),
        });
        await cli.output.object(workspace, workspace.name);
      }),
    );
}
