import { ApiProperty, ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';
import { CHANGE_SEVERITIES, type ChangeSeverity } from '@app/definition';
import type { JsonValue } from '@app/kernel';

const ANYTHING: ApiPropertyOptions = {
  description: 'Any JSON value.',
  oneOf: [
    ...['string', 'number', 'boolean', 'null'].map((type) => ({ type })),
    { type: 'array', items: {} },
    { type: 'object', additionalProperties: true },
  ],
};

export class PatchOperation {
  @ApiProperty({ enum: ['add', 'remove', 'replace', 'move', 'copy', 'test'] })
  op: string;

  @ApiProperty({ description: 'JSON Pointer.' })
  path: string;

  @ApiPropertyOptional(ANYTHING)
  value?: unknown;
}

export class CapabilityChangeResource {
  @ApiProperty({ example: 'tool_gained', description: '`<noun>_gained`, `_lost` or `_changed`.' })
  kind: string;

  @ApiProperty({
    enum: CHANGE_SEVERITIES,
    description: '`critical`: more reach or less control. `warning`: look at it. `info`: less reach or more control.',
  })
  severity: ChangeSeverity;

  @ApiProperty({ example: 'Gains the write tool shop.refund.' })
  message: string;

  @ApiProperty({ description: 'JSON Pointer into the definition that has it: `b`, but into `a` for what is lost.' })
  pointer: string;

  @ApiProperty(ANYTHING)
  before: JsonValue;

  @ApiProperty(ANYTHING)
  after: JsonValue;
}

export class VersionComparison {
  @ApiProperty()
  agent: string;

  @ApiProperty({ type: 'integer' })
  a: number;

  @ApiProperty({ type: 'integer' })
  b: number;

  @ApiProperty({
    type: [PatchOperation],
    description: 'JSON Patch (RFC 6902) that makes the definition of `b` of that of `a`.',
  })
  patch: PatchOperation[];

  @ApiProperty({ type: [CapabilityChangeResource], description: 'What it means; the gravest first.' })
  capability_changes: CapabilityChangeResource[];
}
