import { EventViews } from '@app/events';
import type { JsonObject } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { approvalOfSnapshot, presentApproval } from './approval.view.js';
import { presentRun, runOfSnapshot } from './run.view.js';

/**
 * Renders events: those of runs and approvals show the run or the approval, all others their recorded data. See
 * sql/event_ports.sql.
 */
@Injectable()
export class RunEventViewsAdapter extends EventViews {
  dataOf(type: string, snapshot: JsonObject): object {
    if (type.startsWith('run.')) return presentRun(runOfSnapshot(snapshot));
    if (type.startsWith('approval.')) return presentApproval(approvalOfSnapshot(snapshot));
    return snapshot;
  }
}
