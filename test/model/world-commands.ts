import { agree } from './agreement.js';
import { type Decision, isAllowed } from './approval-model.js';
import { command, type Command } from './command.js';
import type { RunDatabase } from './run-database.js';
import { MAX_RECOVERIES } from './run-model.js';
import type { World } from './world.js';

/** Commands that simulate the decisions of people, the work of the reconciler and the passing of time. */

export const recover: Command = command('Recover', isLost, recoverRun);

export const recoverAnyway: Command = command('RecoverAnyway', always, recoverRun);

async function recoverRun({ run, runId }: World, database: RunDatabase): Promise<void> {
  const answered = await database.store.recover(runId, MAX_RECOVERIES);
  agree('recover', answered, run.recover());
  if (answered === 'requeued') await database.endBackoff(runId);
}

export const cancel: Command = command('Cancel', always, async ({ run, runId, workspaceId }, { store }) => {
  const answered = await store.cancel(workspaceId, runId, { reason: null, actor: 'ann@example.com' });
  agree('cancel', answered, run.cancel());
});

type Person = 'bob' | 'eve';

export const decide = (decision: Decision, by: Person): Command =>
  command(
    `Decide(${decision} by ${by})`,
    ({ run }) => run.openApproval !== undefined && isAllowed(run.openApproval, decision),
    saying(decision, by),
  );

/** Decides about any approval, even if no person was asked or the approval is closed. */
export const decideAnyway = (decision: Decision, by: Person): Command =>
  command(`DecideAnyway(${decision} by ${by})`, hasApproval, saying(decision, by));

function saying(decision: Decision, by: Person): Command['run'] {
  return async (world, database) => {
    const { id, approval } = latestApproval(world);
    const edited = decision === 'edit' ? { edited: world.newPath() } : null;
    const answered = await database.decide(world, id, { decision, by, edited });
    const predicted = world.run.decide(approval, decision, by, edited);
    agree('decide', answered, predicted);
    if (predicted === 'decided' && decision === 'retry') world.repeats.push(world.run.step(approval.n).path);
  };
}

export const approvalIsOverdue: Command = command('ApprovalIsOverdue', hasOpenApproval, async (world, database) => {
  await database.makeApprovalOverdue(world.runId);
  latestApproval(world).approval.overdue = true;
});

export const expire: Command = command('Expire', hasApproval, async (world, database) => {
  const { id, approval } = latestApproval(world);
  const answered = await database.expire(world.runId, id);
  const isDue = world.run.isDue(approval);
  agree('expire', answered, { due: isDue ? [id] : [], expired: world.run.expire(approval) });
});

export const stop: Command = command('Stop', isWorthStopping, async ({ run, workspaceId }, database) => {
  const epoch = run.stop();
  const inFlight = run.inState('started').map((step) => step.n);
  agree('stop', await database.stop(workspaceId), { epoch, inFlight });
});

export const resume: Command = command('Resume', isStopped, async ({ run, workspaceId }, database) => {
  agree('resume', await database.resume(workspaceId), run.resume());
});

export const wakeHeld: Command = command('WakeHeld', isHeld, async ({ run, workspaceId }, database) => {
  agree('wake held runs', await database.wakeHeld(workspaceId), run.wakeHeld());
});

export const parkHeld: Command = command('ParkHeld', isStopped, async ({ run }, database) => {
  agree('park held runs', await database.parkHeld(), run.parkHeld());
});

export const passTime: Command = command('TimePasses', waitsForTime, async ({ run, runId }, database) => {
  await database.passTime(runId);
  run.passTime();
});

function always(): boolean {
  return true;
}

function isLost({ run }: World): boolean {
  return run.owner !== null && !run.alive.has(run.owner);
}

function isHeld({ run }: World): boolean {
  return run.wake === 'held';
}

function isStopped({ run }: World): boolean {
  return run.stopped;
}

function isWorthStopping({ run }: World): boolean {
  return !run.hasEnded;
}

function waitsForTime({ run }: World): boolean {
  return run.wake === 'later' || run.inState('waiting').length > 0;
}

function hasApproval({ run }: World): boolean {
  return run.approvals.length > 0;
}

function hasOpenApproval({ run }: World): boolean {
  return run.openApproval !== undefined;
}

function latestApproval({ run, before }: World): { id: string; approval: World['run']['approvals'][number] } {
  const approval = run.approvals.at(-1);
  const id = before?.approvals.at(-1)?.id;
  if (!approval || !id) throw new Error('there is no approval');
  return { id, approval };
}
