import type { Type } from '@nestjs/common';
import { ApiSchema } from '@nestjs/swagger';
import { APPROVAL_DECISIONS, FILE_REASONS, FILE_SHOWN, RUN_ERROR_CODES } from '@app/runs';
import { AnyObject, AnyValue, Field, Flag, Id, Nested, OneOf, Text, Timestamp, Whole } from '../http/fields.js';
import { RunCost, RunErrorResource, RunTriggerResource, TurnUsage } from './runs.api.js';
import { TraceStepResource } from './trace.api.js';

// Fields that depend on the type of a step are not required, because a summary of a trace omits them.

const Groups = (description: string): PropertyDecorator =>
  Text({ optional: true, list: true, description, example: ['finance-leads'] });

/** Base class of the steps that can fail and that a replay can copy. Adds the fields for an error and for a copy. */
class EndedStep extends TraceStepResource {
  @Nested(RunErrorResource, { optional: true, description: 'Error; absent if the step did not fail.' })
  error?: RunErrorResource;
  @Flag({ optional: true, description: '`true` if a replay copied the step.' })
  recorded?: boolean;
  @Text({
    optional: true,
    description: 'Id of the step in the replayed run from which this step was copied.',
    example: 'run_01kahzvk3te9d8q6f0f1v3m2sx.2',
  })
  recorded_from?: string;
  @Flag({ optional: true, description: '`true` if a replay copied the step and people approved its call.' })
  approved?: boolean;
}

@ApiSchema({ description: 'The trigger that started the run. The first step of every trace.' })
class TriggerStep extends TraceStepResource {
  @OneOf(['trigger'], { description: 'Type of the step.' }) override type = 'trigger' as const;
  @Nested(RunTriggerResource, { optional: true, description: 'Trigger that started the run.' })
  data?: RunTriggerResource;
}

class CallStep extends EndedStep {
  @Whole({ optional: true, minimum: 1, description: 'Number of the attempt, from 1.', example: 1 }) try?: number;
  @Text({ optional: true, description: 'Beginning of the response.', example: '{"total":40}' })
  response_summary?: string;
  @Text({ optional: true, description: 'Policy that denied the call.', example: 'no-refunds' }) policy?: string;
  @Flag({ optional: true, description: '`true` if the outcome was found with a read operation of the tool.' })
  reconciled?: boolean;
}

@ApiSchema({ description: 'An HTTP request to a tool. Secrets are `[redacted]`.' })
export class SentHttpRequest {
  @Text({ description: 'Method.', example: 'GET' }) method: string;
  @Text({
    description: 'Address. If the definition redacts values, it has the names of the parameters.',
    example: 'https://shop.example.com/orders/1002',
  })
  url: string;
  @AnyObject({ optional: true, description: 'Headers; absent if the definition redacts values.', example: {} })
  headers?: object;
  @Text({ optional: true, description: 'Body, if it is a text of at most 4 096 characters.', example: '{"amount":40}' })
  body?: string;
}

@ApiSchema({ description: 'A call of an operation of a tool.' })
class ToolCallStep extends CallStep {
  @OneOf(['tool_call'], { description: 'Type of the step.' }) override type = 'tool_call' as const;
  @Text({ optional: true, nullable: true, description: 'Operation that was called.', example: 'orders.get' })
  tool?: string | null;
  @OneOf(['read', 'write'], { optional: true, nullable: true, description: 'Scope of the operation.' })
  scope?: string | null;
  @OneOf(['read', 'idempotent', 'at_most_once'], {
    optional: true,
    nullable: true,
    description:
      'Effect of a call. `read`: changes nothing. `idempotent`: a repeated call changes nothing more. `at_most_once`: the call is never repeated automatically.',
  })
  effect?: string | null;
  @AnyObject({
    optional: true,
    nullable: true,
    description: 'Arguments of the call.',
    example: { order_id: '1002' },
  })
  request?: object | null;
  @Whole({ optional: true, description: 'HTTP status of the response of an HTTP tool.', example: 200 })
  http_status?: number;
  @Nested(SentHttpRequest, {
    optional: true,
    description: 'Request of an HTTP tool. Only `GET /v1/runs/{id}/trace/{n}` returns it.',
  })
  http?: SentHttpRequest;
  @AnyValue({
    optional: true,
    description: 'Response. Only `GET /v1/runs/{id}/trace/{n}` returns it.',
    example: { total: 40 },
  })
  response?: unknown;
  @Whole({ optional: true, description: 'SMTP status with which the mail relay rejected the e-mail.', example: 550 })
  smtp_status?: number;
  @Id('run', { optional: true, description: 'Id of the child run of an agent tool, from its start.' }) child?: string;
  @Id('run', { optional: true, description: 'Id of the child run, when it has ended.' }) run?: string;
  @Id('agent', { optional: true, description: 'Id of the agent that was called.' }) agent?: string;
}

@ApiSchema({ description: 'A document that passages were found in.' })
export class RetrievedDocument {
  @Id('document') id: string;
  @Whole({ description: 'Version of the document.', example: 2 }) version: number;
  @Field({ type: 'number', description: 'Best score of the passages of the document.', example: 0.82 }) score: number;
}

@ApiSchema({ description: 'A search in a knowledge base.' })
class RetrievalStep extends CallStep {
  @OneOf(['retrieval'], { description: 'Type of the step.' }) override type = 'retrieval' as const;
  @Text({ optional: true, list: true, description: 'Names of the knowledge bases.', example: ['refund-policy'] })
  knowledge_bases?: string[];
  @Text({ optional: true, description: 'Text that was searched for.', example: 'refund limit' }) query?: string;
  @OneOf(['keyword', 'semantic', 'hybrid'], { optional: true, description: 'Mode of the search.' })
  mode?: string;
  @Whole({ optional: true, description: 'Number of passages found.', example: 3 }) passages?: number;
  @Nested(RetrievedDocument, { optional: true, list: true, description: 'Documents of the passages, best first.' })
  documents?: RetrievedDocument[];
}

@ApiSchema({ description: 'A document that a response of the model cites.' })
export class CitedDocument {
  @Id('document') id: string;
  @Text({ nullable: true, description: 'Title of the document; null if it has none.', example: 'Refunds' }) title:
    string | null;
  @Text({ nullable: true, description: 'Address of the document; null if it has none.', example: null }) url:
    string | null;
  @Whole({ nullable: true, description: 'Version of the document; null if unknown.', example: 2 }) version:
    number | null;
}

@ApiSchema({ description: 'A passage that a response of the model cites.' })
export class TraceCitation {
  @Nested(CitedDocument, { description: 'Document of the passage.' }) document: CitedDocument;
  @Whole({ description: 'Position among the passages of the document, from 0.', example: 4 }) chunk: number;
}

@ApiSchema({ description: 'An explanation by the model of what it does.' })
class ReasoningStep extends TraceStepResource {
  @OneOf(['reasoning'], { description: 'Type of the step.' }) override type = 'reasoning' as const;
  @Text({ optional: true, description: 'Summary of the explanation.', example: 'The order is older than 30 days.' })
  summary?: string;
  @Nested(TraceCitation, { optional: true, list: true, description: 'Passages that the response cites.' })
  citations?: TraceCitation[];
}

class DecisionStep extends EndedStep {
  @Text({ optional: true, description: 'Policy or rule that requires the decision.', example: 'big-refund' })
  policy?: string;
  @Text({
    optional: true,
    description: 'Approval rule for the call. Present only in runs that ask no person, such as those of an evaluation.',
    example: 'finance',
  })
  rule?: string;
  @Groups('Groups that may decide.') approvers?: string[];
  @Flag({ optional: true, description: '`false` in a run of an evaluation, where no person is asked for a decision.' })
  asked?: boolean;
  @Id('approval', { optional: true, description: 'Id of the approval.' }) approval?: string;
  @OneOf([...APPROVAL_DECISIONS, 'expire'], {
    optional: true,
    nullable: true,
    description: 'Decision; absent until it is made.',
  })
  decision?: string | null;
  @Text({ optional: true, list: true, description: 'People who decided.', example: ['ada@example.com'] })
  decided_by?: string[];
  @Text({ optional: true, nullable: true, description: 'Comment of the last decision.', example: null })
  comment?: string | null;
  @Text({
    optional: true,
    nullable: true,
    description: 'Question of an `ask` step; absent for approvals of other steps and calls.',
    example: 'Which size?',
  })
  title?: string | null;
  @AnyValue({
    optional: true,
    description: 'Answer to the question; absent for other approvals.',
    example: { size: 'm' },
  })
  answer?: unknown;
}

@ApiSchema({ description: 'A decision by people, before a call or as a step of the plan.' })
class ApprovalStep extends DecisionStep {
  @OneOf(['approval'], { description: 'Type of the step, always `approval`.' }) override type = 'approval' as const;
}

@ApiSchema({ description: 'A question to people about the unknown outcome of a call.' })
class InDoubtStep extends DecisionStep {
  @OneOf(['in_doubt'], { description: 'Type of the step.' }) override type = 'in_doubt' as const;
}

@ApiSchema({ description: 'A possible problem in a step that did not make the step fail.' })
export class StepWarning {
  @Text({ description: 'Code of the warning.', example: 'output_truncated' }) code: string;
  @Text({ description: 'Explanation for people.', example: 'The model reached its output limit.' }) message: string;
}

@ApiSchema({ description: 'A parameter that was changed or left out.' })
export class ParamWarning {
  @Text({ description: 'Name in the definition.', example: 'effort' }) param: string;
  @Text({ description: 'Why, as a sentence.', example: 'The model accepts no effort.' }) reason: string;
}

@ApiSchema({ description: 'How the request showed a file of the input.' })
export class ModelFile {
  @Text({ description: 'Id of the file.', example: 'file_01kahzvk3te9d8q6f0f1v3m2sx' }) file: string;
  @OneOf(FILE_SHOWN, { description: 'What the model saw; `no`: the name only.' }) shown: string;
  @OneOf(FILE_REASONS, { optional: true, description: 'Why not, or only as text.' }) reason?: string;
}

@ApiSchema({ description: 'One turn of a model.' })
class ModelCallStep extends EndedStep {
  @OneOf(['model_call'], { description: 'Type of the step.' }) override type = 'model_call' as const;
  @Text({ optional: true, nullable: true, description: 'Name of the provider profile.', example: 'openai' }) provider?:
    string | null;
  @Text({ optional: true, nullable: true, description: 'Name of the model.', example: 'gpt-6.1-terra' }) model?:
    string | null;
  @Text({ optional: true, description: 'Reason why the turn ended.', example: 'stop' }) finish_reason?: string;
  @Nested(TurnUsage, { optional: true, nullable: true, description: 'Tokens; null if unknown.' })
  usage?: TurnUsage | null;
  @Nested(RunCost, { optional: true, nullable: true, description: 'Cost; null if the price is unknown.' })
  cost?: RunCost | null;
  @Flag({ optional: true, description: '`true` if a part of the cost is unknown.' }) cost_partial?: boolean;
  @Text({
    optional: true,
    description: 'Beginning of the response, `calls <tools>` if the model calls tools, or the error.',
    example: 'calls orders.get',
  })
  summary?: string;
  @Text({
    optional: true,
    description: 'Error if the model could not be called; absent otherwise. The response is in `summary`.',
    example: 'No provider openai.',
  })
  response_summary?: string;
  @Text({ optional: true, description: 'Effort that was sent.', example: 'low' }) effort?: string;
  @Nested(ParamWarning, { optional: true, list: true, description: 'Warnings.' }) warnings?: ParamWarning[];
  @Nested(ModelFile, { optional: true, list: true, description: 'Files of the input.' }) files?: ModelFile[];
  @Flag({
    optional: true,
    description: '`true` if the model rejected the reasoning of earlier turns, so the run no longer sends it.',
  })
  reasoning_dropped?: boolean;
  @Nested(StepWarning, { optional: true, description: 'Warning; absent if there is none.' }) warning?: StepWarning;
}

@ApiSchema({ description: 'The output of the run.' })
class OutputStep extends TraceStepResource {
  @OneOf(['output'], { description: 'Type of the step.' }) override type = 'output' as const;
  @AnyValue({ optional: true, description: 'Output of the run.', example: { resolution: 'refunded' } })
  output?: unknown;
}

@ApiSchema({ description: 'The error that ended the run or a part of it.' })
class ErrorStep extends TraceStepResource {
  @OneOf(['error'], { description: 'Type of the step.' }) override type = 'error' as const;
  @OneOf(RUN_ERROR_CODES, { optional: true, description: 'Code of the error. Later releases may add codes.' })
  code?: string;
  @Text({ optional: true, description: 'Explanation for people.', example: 'orders.get returned 500.' })
  message?: string;
  @Text({
    optional: true,
    nullable: true,
    description: 'Id of the step in the definition; null if there is none.',
    example: 'order',
  })
  step?: string | null;
}

@ApiSchema({ description: 'The beginning of another attempt of a call.' })
class RetryStep extends TraceStepResource {
  @OneOf(['retry'], { description: 'Type of the step.' }) override type = 'retry' as const;
  @Text({
    optional: true,
    nullable: true,
    description: 'Id of the step in the definition; null if there is none.',
    example: 'order',
  })
  step?: string | null;
  @Text({
    optional: true,
    nullable: true,
    description: 'Operation that is called again; null for a model.',
    example: 'orders.get',
  })
  tool?: string | null;
  @OneOf([...RUN_ERROR_CODES, 'interrupted'], {
    optional: true,
    description:
      'Code of the failure, or `interrupted` if the worker failed during the call. Later releases may add codes.',
  })
  reason?: string;
}

@ApiSchema({ description: 'The run is handed over to people.' })
class HandOffStep extends TraceStepResource {
  @OneOf(['hand_off'], { description: 'Type of the step.' }) override type = 'hand_off' as const;
  @Groups('Groups that take over the run.') to?: string[];
  @Text({
    optional: true,
    nullable: true,
    description: 'Reason for the hand-off; null if none was given.',
    example: 'The customer asks for a person.',
  })
  reason?: string | null;
}

class InterventionStep extends TraceStepResource {
  @Text({
    optional: true,
    nullable: true,
    description: 'E-mail address of the person; null if the service did it.',
    example: 'ada@example.com',
  })
  by?: string | null;
  @Text({ optional: true, nullable: true, description: 'Reason; null if none was given.', example: null })
  reason?: string | null;
}

@ApiSchema({ description: 'The cancellation of the run.' })
class CancelledStep extends InterventionStep {
  @OneOf(['cancelled'], { description: 'Type of the step, always `cancelled`.' }) override type = 'cancelled' as const;
}

@ApiSchema({ description: 'The emergency stop interrupted the run.' })
class StoppedStep extends InterventionStep {
  @OneOf(['stopped'], { description: 'Type of the step.' }) override type = 'stopped' as const;
}

@ApiSchema({ description: 'The run continues after an emergency stop.' })
class ResumedStep extends TraceStepResource {
  @OneOf(['resumed'], { description: 'Type of the step.' }) override type = 'resumed' as const;
}

@ApiSchema({ description: 'A wait until a point in time, or for a callback.' })
class WaitStep extends EndedStep {
  @OneOf(['wait'], { description: 'Type of the step.' }) override type = 'wait' as const;
  @Timestamp({ optional: true, nullable: true, description: 'Time at which the wait ends at the latest.' }) until?:
    string | null;
  @OneOf(['callback'], { optional: true, description: 'Always `callback`; absent if the step waits for a time.' })
  for?: string;
  @Flag({ optional: true, description: '`false` in a run of an evaluation whose case has no body for the callback.' })
  asked?: boolean;
  @AnyValue({ optional: true, description: 'Body of the callback.', example: { status: 'done' } }) output?: unknown;
}

@ApiSchema({ description: 'The execution of the function of a `code` step.' })
class CodeStep extends EndedStep {
  @OneOf(['code'], { description: 'Type of the step.' }) override type = 'code' as const;
  @AnyObject({ optional: true, nullable: true, description: 'Argument of the function.', example: { rows: [1, 2] } })
  request?: object | null;
  @AnyValue({ optional: true, description: 'Result; absent if the step failed.', example: { total: 3 } })
  output?: unknown;
}

@ApiSchema({ description: 'A condition that an `assert` step checks.' })
class AssertionStep extends TraceStepResource {
  @OneOf(['assertion'], { description: 'Type of the step.' }) override type = 'assertion' as const;
  @Text({ optional: true, description: 'Condition, as a CEL expression.', example: 'input.amount < 100' })
  expression?: string;
}

export const TRACE_STEPS: Readonly<Record<string, Type>> = {
  trigger: TriggerStep,
  tool_call: ToolCallStep,
  retrieval: RetrievalStep,
  reasoning: ReasoningStep,
  approval: ApprovalStep,
  in_doubt: InDoubtStep,
  model_call: ModelCallStep,
  output: OutputStep,
  error: ErrorStep,
  retry: RetryStep,
  hand_off: HandOffStep,
  cancelled: CancelledStep,
  stopped: StoppedStep,
  resumed: ResumedStep,
  wait: WaitStep,
  assertion: AssertionStep,
  code: CodeStep,
};
