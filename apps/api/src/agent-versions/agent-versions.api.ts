import { type ApiPropertyOptions, ApiSchema } from '@nestjs/swagger';
import { EVALUATION_STATUSES, type EvaluationStatus } from '@app/agents';
import { CHANGE_SEVERITIES, type ChangeSeverity } from '@app/definition';
import type { JsonObject, JsonValue } from '@app/kernel';
import { DefinitionFinding } from '../definitions/definitions.api.js';
import { AnyObject, Field, Flag, Nested, OneOf, Text, Timestamp, Whole } from '../http/fields.js';

const EVALUATION_OF_VERSION: ApiPropertyOptions = {
  type: 'object',
  nullable: true,
  required: ['id', 'status'],
  properties: { id: { type: 'string' }, status: { type: 'string', enum: [...EVALUATION_STATUSES] } },
  additionalProperties: false,
};

@ApiSchema({ name: 'AgentVersion' })
export class AgentVersionResource {
  @Text({ example: 'agt_01kahzvk3te9d8q6f0f1v3m2sx' }) agent: string;
  @Whole({ minimum: 1 }) version: number;
  @Timestamp() created_at: string;
  @Text({ description: 'E-mail address.', example: 'ada@example.com' }) created_by: string;
  @Text({ description: "SHA-256 of the definition's canonical JSON, in hexadecimal digits." }) definition_hash: string;
  @Flag() is_production: boolean;
  @Field({ ...EVALUATION_OF_VERSION, description: 'The latest one.' })
  evaluation: { id: string; status: EvaluationStatus } | null;
  @AnyObject({ description: 'As JSON, without comments.' }) definition: JsonObject;
}

@ApiSchema({ name: 'CreatedAgentVersion' })
export class CreatedAgentVersionResource extends AgentVersionResource {
  @Nested(DefinitionFinding, { list: true, description: 'What its author ought to know about the definition.' })
  warnings: DefinitionFinding[];
}

export class PromotionResource {
  @Text({ example: 'agt_01kahzvk3te9d8q6f0f1v3m2sx' }) agent: string;
  @Whole() production_version: number;
  @Whole({ nullable: true, description: 'Null for the version that the agent began with.' }) previous_version:
    number | null;
  @Field({
    ...EVALUATION_OF_VERSION,
    description: 'The latest evaluation of the version when it was promoted; null where there was none.',
  })
  evaluation: { id: string; status: EvaluationStatus } | null;
  @Timestamp() promoted_at: string;
  @Text({ description: 'E-mail address.' }) promoted_by: string;
}

const ANYTHING: ApiPropertyOptions = {
  description: 'Any JSON value.',
  oneOf: [
    ...['string', 'number', 'boolean', 'null'].map((type) => ({ type })),
    { type: 'array', items: {} },
    { type: 'object', additionalProperties: true },
  ],
};

export class PatchOperation {
  @OneOf(['add', 'remove', 'replace', 'move', 'copy', 'test']) op: string;
  @Text({ description: 'JSON Pointer.' }) path: string;
  @Field({ optional: true, ...ANYTHING }) value?: unknown;
}

export class CapabilityChangeResource {
  @Text({ example: 'tool_gained', description: '`<noun>_gained`, `_lost` or `_changed`.' }) kind: string;
  @OneOf(CHANGE_SEVERITIES, {
    description: '`critical`: more reach or less control. `warning`: look at it. `info`: less reach or more control.',
  })
  severity: ChangeSeverity;
  @Text({ example: 'Gains the write tool shop.refund.' }) message: string;
  @Text({ description: 'JSON Pointer into the definition that has it: `b`, but into `a` for what is lost.' })
  pointer: string;
  @Field(ANYTHING) before: JsonValue;
  @Field(ANYTHING) after: JsonValue;
}

export class VersionComparison {
  @Text() agent: string;
  @Whole() a: number;
  @Whole() b: number;
  @Nested(PatchOperation, {
    list: true,
    description: 'JSON Patch (RFC 6902) that makes the definition of `b` of that of `a`.',
  })
  patch: PatchOperation[];
  @Nested(CapabilityChangeResource, { list: true, description: 'What it means; the gravest first.' })
  capability_changes: CapabilityChangeResource[];
}
