import { type CompiledDefinition, type KnownFiles, schemaValidator } from '@app/definition';
import { DomainError, type ErrorPlace, isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import type { ApprovalEntity } from '../records/approval.entity.js';
import { judge, type JudgedCall, type Judgement, shownAbout } from '../interpreter/policy.js';
import { runContext } from '../records/recorded-plan.js';
import type { RunEntity } from '../records/run.entity.js';

/**
 * Like the original arguments, they must match the schema of the operation, and the policies apply to them. An edit
 * changes neither the operation nor the approvers.
 * @throws DomainError `input_invalid`
 */
export function editedRequest(
  definition: CompiledDefinition,
  run: RunEntity,
  approval: ApprovalEntity,
  { request, steps, files }: { request: JsonObject; steps: JsonObject; files?: KnownFiles },
): { request: JsonObject; show: JsonObject } {
  const operation =
    approval.kind === 'step' || approval.tool === null ? undefined : definition.operations.get(approval.tool);
  if (!operation) throw refusal('This approval is not for a call, so it has no request to edit.');
  const call: JudgedCall = { operation, request, steps };
  checkSchema(call, files);
  const facts = runContext(run, definition);
  checkJudgement(judge(definition, call, facts), approval);
  const expressions = [...definition.approvals.values()].flatMap((rule) => rule.show);
  const shown = expressions.filter(({ source }) => Object.hasOwn(approval.show, source));
  return { request, show: shownAbout(definition, call, shown, facts) };
}

/** @throws DomainError `input_invalid`, with pointers below `/answer` */
export function checkedAnswer(form: JsonObject, answer: JsonValue, files?: KnownFiles): JsonObject {
  const { value, errors: misfits } = schemaValidator({ type: 'object', ...form }).complete(answer, undefined, files);
  const [first] = misfits;
  if (!first && isJsonObject(value)) return value;
  const errors = misfits.map((misfit) => ({ ...misfit, pointer: `/answer${misfit.pointer}` }));
  const detail = `The answer does not match the form: ${first?.detail ?? 'it must be an object.'}`;
  throw new DomainError('input_invalid', detail, { errors });
}

function checkSchema({ operation, request }: JudgedCall, files?: KnownFiles): void {
  const misfits = operation.request?.validate(request, undefined, files) ?? [];
  const [first] = misfits;
  if (!first) return;
  const errors = misfits.map((misfit) => ({ ...misfit, pointer: `/request${misfit.pointer}` }));
  throw refusal(`The request does not match the schema of ${operation.fullName}: ${first.detail}`, errors);
}

/** Without this check, an edit could bypass a policy that did not match the original arguments. */
function checkJudgement(judgement: Judgement, approval: ApprovalEntity): void {
  if (judgement.action === 'deny') {
    throw refusal(`The policy ${judgement.policy} denies the edited call: ${judgement.message}`);
  }
  if (judgement.action === 'allow') return;
  const { rule, policy } = judgement;
  const asksTheSame =
    rule.required <= approval.required &&
    (rule.selfApproval || !approval.selfApproval) &&
    [...rule.approvers].sort().join('\n') === [...approval.approvers].sort().join('\n');
  if (asksTheSame) return;
  throw refusal(
    `For the edited call, the policy ${policy} requires the approval rule ${rule.name}. Reject this approval instead.`,
  );
}

function refusal(detail: string, errors: readonly ErrorPlace[] = [{ pointer: '/request', detail }]): DomainError {
  return new DomainError('input_invalid', detail, { errors });
}
