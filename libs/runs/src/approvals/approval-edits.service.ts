import { CompiledVersions } from '@app/agents';
import { DomainError, type JsonObject } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { recordedPlan } from '../records/recorded-plan.js';
import { requestPlaces } from '../privacy/private-run-store.js';
import { restoredObject } from '../privacy/sealed-value.js';
import { RunPrivaciesService } from '../privacy/run-privacies.service.js';
import { openedRun, openedStep } from '../privacy/opened-runs.service.js';
import type { RunEntity } from '../records/run.entity.js';
import { ApprovalQueriesService } from '../read/approval-queries.service.js';
import { RunQueriesService } from '../read/run-queries.service.js';
import type { ApprovalDecision, Decider } from '../records/approval-status.js';
import type { DecisionEntry } from './approval.store.js';
import type { ApprovalEntity } from '../records/approval.entity.js';
import { editedRequest } from './edited-request.js';

/** Checks the new arguments that an approver gives a call. */
@Injectable()
export class ApprovalEditsService {
  constructor(
    private readonly approvals: ApprovalQueriesService,
    private readonly runs: RunQueriesService,
    private readonly versions: CompiledVersions,
    private readonly privacies: RunPrivaciesService,
  ) {}

  /**
   * The new request and what approvers see of it; null if the decision is no edit. Redacted values that the approver
   * returns unchanged keep their original value.
   * @throws DomainError `invalid_request`, `input_invalid`
   */
  async checked(
    approval: ApprovalEntity,
    decider: Decider,
    { decision, request }: { decision: ApprovalDecision; request?: JsonObject | undefined },
  ): Promise<DecisionEntry['edited']> {
    if (decision !== 'edit') {
      if (request === undefined) return null;
      throw misplaced(`\`request\` belongs to the decision edit, not to ${decision}.`);
    }
    if (request === undefined) throw misplaced('An edit needs the whole new `request`.');
    // A person who may not edit gets that error, not the errors of the edit. The store finds the reason.
    const refusals = await this.approvals.refusals(approval.workspaceId, [approval], decider, 'edit');
    if (refusals.get(approval.id)) return { request, show: null };
    const run = await this.runs.get(approval.workspaceId, approval.runId);
    return this.judged(approval, run, request);
  }

  private async judged(
    approval: ApprovalEntity,
    run: RunEntity,
    request: JsonObject,
  ): Promise<DecisionEntry['edited']> {
    const definition = await this.versions.get(run.workspaceId, run.agentId, run.version);
    const privacy = this.privacies.of(run, definition);
    const opened = openedRun(run, privacy);
    const complete = privacy.openedObject(restoredObject(request, approval.request));
    const { steps: trace } = await this.runs.trace(run.workspaceId, run.id);
    const inTheOpen = trace.map((step) => openedStep(step, privacy));
    const steps = (await recordedPlan(definition, opened, inTheOpen)).at(approval.n);
    const edited = editedRequest(definition, opened, approval, { request: complete, steps });
    privacy.sealed(opened.input, ['input']);
    return {
      request: privacy.sealedObject(edited.request, ...requestPlaces(approval.tool)),
      show: privacy.sealedShow(edited.show),
    };
  }
}

function misplaced(detail: string): DomainError {
  return new DomainError('invalid_request', detail, { errors: [{ pointer: '/request', detail }] });
}
