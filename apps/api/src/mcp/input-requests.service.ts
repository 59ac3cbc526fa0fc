import { Inject, Injectable } from '@nestjs/common';
import { type InputRequest, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { DomainError, type ErrorPlace, isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import { type AddressConfig, addressConfig } from '@app/platform/startup';
import {
  ApprovalDecisionsService,
  type ApprovalEntity,
  ApprovalQueriesService,
  consolePage,
  type RunWithApprovals,
} from '@app/runs';
import type { Principal } from '@app/workspace';
import type { McpClient } from './mcp-client.js';
import { waitingSentence } from './run-answers.service.js';
import { openApproval } from './run-shape.js';

/** A request to the user of the assistant. `key` names it in the answer. */
export interface KeyedRequest {
  key: string;
  request: InputRequest;
}

type Answers = Readonly<Record<string, unknown>>;

/** The members of a form that the protocol knows. */
const FORM_KEYS = new Set([
  'type',
  'properties',
  'required',
  'title',
  'description',
  'additionalProperties',
  '$schema',
]);
const FIELD_TYPES: readonly JsonValue[] = ['string', 'number', 'integer', 'boolean'];

/**
 * Asks the user of the assistant for what a run waits for. An approval is a link to its page, on which people decide:
 * nothing that a client sends decides one. A question is a form, if the protocol can show it.
 */
@Injectable()
export class InputRequestsService {
  constructor(
    private readonly approvals: ApprovalQueriesService,
    private readonly decisions: ApprovalDecisionsService,
    @Inject(addressConfig.KEY) private readonly address: AddressConfig,
  ) {}

  /** Returns what the client can ask its user, or undefined. `asked` are the keys that it was asked already. */
  async of(
    principal: Principal,
    client: McpClient,
    read: RunWithApprovals,
    asked: readonly string[] = [],
  ): Promise<KeyedRequest | undefined> {
    const approval = openApproval(read);
    if (!approval || principal.limits?.isAutomation || !(client.canFillForms || client.canOpenUrls)) return undefined;
    if (approval.askedRevision === approval.requestRevision) return undefined;
    const found = approval.kind === 'question' ? this.form(principal, client, approval) : this.link(client, approval);
    if (!found || asked.includes(found.key)) return undefined;
    return (await this.mayDecide(principal, approval)) ? found : undefined;
  }

  /**
   * Takes the answers of a client. Only an accepted form has an effect: it answers the question. Unknown keys are
   * ignored, and so are answers to what is no longer open.
   * @throws ProtocolError -32602 for an answer that does not fit the form
   */
  async take(principal: Principal, client: McpClient, read: RunWithApprovals, answers: Answers): Promise<void> {
    const asked = await this.of(principal, client, read);
    const approval = openApproval(read);
    if (!asked || !approval || !Object.hasOwn(answers, asked.key)) return;
    const answer = answers[asked.key] as JsonValue;
    const { params } = asked.request;
    const isForm = isJsonObject(params) && params.mode === 'form';
    if (isForm && isJsonObject(answer) && answer.action === 'accept')
      await this.answer(principal, approval, answer.content ?? {});
    else await this.decisions.keepAskedRevision(approval);
  }

  private async answer(
    principal: Principal,
    { runId, id: approvalId }: ApprovalEntity,
    answer: JsonValue,
  ): Promise<void> {
    try {
      await this.decisions.decide({ principal, runId, approvalId, decision: 'answer', answer, via: 'mcp' });
    } catch (error) {
      if (!(error instanceof DomainError) || error.kind === 'internal') throw error;
      if (error.code === 'approval_already_decided') return;
      const { code, message, errors } = error;
      const kind = code === 'input_invalid' ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError;
      throw new ProtocolError(kind, message, { code, ...(errors.length > 0 && { errors: errors.map(insideAnswer) }) });
    }
  }

  private form(principal: Principal, client: McpClient, approval: ApprovalEntity): KeyedRequest | undefined {
    const { id, form, title } = approval;
    if (!principal.scopes.has('approvals:decide') || !client.canFillForms) return undefined;
    if (!form || !isFlat(form)) return this.link(client, approval);
    const requestedSchema = { ...form, type: 'object' as const, properties: form.properties ?? {} };
    const params = { mode: 'form', message: title ?? waitingSentence(approval), requestedSchema };
    return { key: id, request: { method: 'elicitation/create', params } as InputRequest };
  }

  private link({ canOpenUrls }: McpClient, approval: ApprovalEntity): KeyedRequest | undefined {
    const { console_url: url } = consolePage(this.address.consoleUrl, 'approvals', approval.id);
    if (url === undefined || !canOpenUrls) return undefined;
    const message = `The run ${waitingSentence(approval)}. Open the page to decide.`;
    const request = { method: 'elicitation/create', params: { mode: 'url', url, message } } as InputRequest;
    return { key: `${approval.id}.${approval.requestRevision}`, request };
  }

  private async mayDecide(principal: Principal, approval: ApprovalEntity): Promise<boolean> {
    const decider = await this.approvals.deciderOf(principal);
    const { refusal } = await this.approvals.decidable(principal.workspaceId, approval, decider);
    return refusal === null;
  }
}

/** Whether the protocol can show the form: an object of texts, numbers, flags and choices of texts. */
function isFlat(form: JsonObject): boolean {
  const { type = 'object', properties = {} } = form;
  if (type !== 'object' || !isJsonObject(properties)) return false;
  return Object.keys(form).every((key) => FORM_KEYS.has(key)) && Object.values(properties).every(isField);
}

function isField(field: JsonValue): boolean {
  if (!isJsonObject(field) || !FIELD_TYPES.includes(field.type ?? null)) return false;
  if (field.enum === undefined) return true;
  return field.type === 'string' && Array.isArray(field.enum) && field.enum.every((each) => typeof each === 'string');
}

function insideAnswer(place: ErrorPlace): ErrorPlace {
  return { ...place, pointer: place.pointer.replace(/^\/answer/, '') };
}
