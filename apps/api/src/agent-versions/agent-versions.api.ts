import { ApiSchema } from '@nestjs/swagger';
import { EVALUATION_STATUSES, type EvaluationStatus } from '@app/agents';
import { CHANGE_SEVERITIES, type ChangeSeverity } from '@app/definition';
import type { JsonObject, JsonValue } from '@app/kernel';
import { DefinitionFinding } from '../definitions/definitions.api.js';
import { AnyObject, AnyValue, Flag, Id, Nested, OneOf, Text, Timestamp, Whole } from '../http/fields.js';

const HASH = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';
const DEFINITION = { name: 'greeter', steps: [{ id: 'result', output: { greeting: 'Hello' } }] };

const PASSED = { id: 'evl_01kahzvk3te9d8q6f0f1v3m2sx', status: 'passed' };

@ApiSchema({ description: 'The latest evaluation of a version.' })
export class VersionEvaluation {
  @Id('evaluation') id: string;
  @OneOf(EVALUATION_STATUSES, { description: 'Status of the evaluation.', example: 'passed' }) status: EvaluationStatus;
}

@ApiSchema({ name: 'AgentVersion', description: 'One stored definition of an agent. A version never changes.' })
export class AgentVersionResource {
  @Id('agent') agent: string;
  @Whole({ minimum: 1, description: 'Number of the version, counted from 1 for each agent.', example: 3 })
  version: number;
  @Timestamp({ description: 'Time of creation.' }) created_at: string;
  @Text({ description: 'E-mail address of the member who created it.', example: 'ada@example.com' }) created_by: string;
  @Text({ description: "SHA-256 of the definition's canonical JSON, as 64 hexadecimal digits.", example: HASH })
  definition_hash: string;
  @Text({
    nullable: true,
    description: 'Name of the project that the version was applied from; null if there is none.',
    example: 'support',
  })
  project: string | null;
  @Flag({ description: '`true` if new runs use this version.', example: true }) is_production: boolean;
  @Nested(VersionEvaluation, {
    nullable: true,
    description: 'Latest evaluation of the version; null if it was never evaluated.',
    example: PASSED,
  })
  evaluation: VersionEvaluation | null;
  @AnyObject({ description: 'Definition as JSON, without comments.', example: DEFINITION }) definition: JsonObject;
}

@ApiSchema({ name: 'CreatedAgentVersion', description: 'A version with the findings about its definition.' })
export class CreatedAgentVersionResource extends AgentVersionResource {
  @Nested(DefinitionFinding, { list: true, description: 'Findings about the definition that do not prevent its use.' })
  warnings: DefinitionFinding[];
}

@ApiSchema({ name: 'Promotion', description: 'The result of a promotion.' })
export class PromotionResource {
  @Id('agent') agent: string;
  @Whole({ description: 'Number of the version that is in production now.', example: 4 }) production_version: number;
  @Whole({
    nullable: true,
    description:
      'Number of the production version before this promotion; null if only version 1 has ever been in production.',
    example: 3,
  })
  previous_version: number | null;
  @Nested(VersionEvaluation, {
    nullable: true,
    description: 'Latest evaluation of the version at the time of the promotion; null if there was none.',
    example: PASSED,
  })
  evaluation: VersionEvaluation | null;
  @Timestamp({ description: 'Time of the promotion.' }) promoted_at: string;
  @Text({ description: 'E-mail address of the member who promoted it.', example: 'ada@example.com' })
  promoted_by: string;
  @Nested(DefinitionFinding, { list: true, description: 'Models that end soon.' }) warnings: DefinitionFinding[];
}

@ApiSchema({ description: 'One operation of a JSON Patch (RFC 6902).' })
export class PatchOperation {
  @OneOf(['add', 'remove', 'replace', 'move', 'copy', 'test'], {
    description: 'Kind of operation.',
    example: 'replace',
  })
  op: string;
  @Text({ description: 'JSON Pointer to the changed value.', example: '/limits/max_steps' }) path: string;
  @AnyValue({ optional: true, description: 'New value; absent for `remove`.', example: 40 }) value?: unknown;
}

@ApiSchema({ name: 'CapabilityChange', description: 'A change in what the agent may do.' })
export class CapabilityChangeResource {
  @Text({ example: 'tool_gained', description: 'Kind of change: `<noun>_gained`, `<noun>_lost` or `<noun>_changed`.' })
  kind: string;
  @OneOf(CHANGE_SEVERITIES, {
    description:
      'Severity. `critical`: wider access or less control. `warning`: needs a review. `info`: narrower access or more control.',
  })
  severity: ChangeSeverity;
  @Text({ description: 'Explanation for people.', example: 'Gains the write tool shop.refund.' }) message: string;
  @Text({
    description:
      'JSON Pointer into definition `b` (or the one in the body), or into definition `a` if `kind` is `<noun>_lost`.',
    example: '/tools/0',
  })
  pointer: string;
  @AnyValue({ description: 'Value in definition `a`; null if it is absent there.', example: null })
  before: JsonValue;
  @AnyValue({ description: 'Value in the other definition; null if it is absent there.', example: 'shop.refund' })
  after: JsonValue;
}

@ApiSchema({ description: 'The differences between a version of an agent and a definition.' })
export class DefinitionDifferences {
  @Id('agent') agent: string;
  @Whole({ description: 'Number of the version from which `patch` starts.', example: 3 }) a: number;
  @Nested(PatchOperation, {
    list: true,
    description: 'JSON Patch (RFC 6902) that turns definition `a` into the other definition.',
  })
  patch: PatchOperation[];
  @Nested(CapabilityChangeResource, { list: true, description: 'Changes in what the agent may do, most severe first.' })
  capability_changes: CapabilityChangeResource[];
}

@ApiSchema({ description: 'The differences between two versions of an agent.' })
export class VersionComparison extends DefinitionDifferences {
  @Whole({ description: 'Number of the version to which `patch` leads.', example: 4 }) b: number;
}
