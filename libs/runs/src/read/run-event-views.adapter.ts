import { EventViews } from '@app/events';
import { isJsonObject, type JsonObject } from '@app/kernel';
import { type AddressConfig, addressConfig } from '@app/platform/startup';
import { Inject, Injectable } from '@nestjs/common';
import { approvalOfSnapshot, presentApproval } from './approval.view.js';
import { presentRun, runOfSnapshot } from './run.view.js';

/** `run.approval_requested` shows both. All other events show their recorded data. See sql/event_ports.sql. */
@Injectable()
export class RunEventViewsAdapter extends EventViews {
  constructor(@Inject(addressConfig.KEY) private readonly address: AddressConfig) {
    super();
  }

  dataOf(type: string, snapshot: JsonObject): object {
    const { consoleUrl } = this.address;
    if (type === 'run.approval_requested') {
      const { approval: asked, ...run } = snapshot;
      const shown = runOfSnapshot(run);
      // Snapshots that earlier releases recorded have no field for the requested approval.
      const approval = isJsonObject(asked) ? approvalOfSnapshot(asked, shown.run) : shown.approvals.at(-1);
      return { ...presentRun(shown, consoleUrl), approval: approval && presentApproval(approval, consoleUrl) };
    }
    if (type.startsWith('run.')) return presentRun(runOfSnapshot(snapshot), consoleUrl);
    if (type.startsWith('approval.')) return presentApproval(approvalOfSnapshot(snapshot), consoleUrl);
    return snapshot;
  }
}
