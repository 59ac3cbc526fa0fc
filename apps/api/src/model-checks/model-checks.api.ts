import { formatMicros } from '@app/kernel';
import { type ModelCheck, usageDetail } from '@app/runs';
import { ApiSchema } from '@nestjs/swagger';
import { Flag, Name, Nested, Text, Whole } from '../http/fields.js';
import { RunCost, TurnUsage } from '../runs/runs.api.js';

@ApiSchema({ description: 'The model to check.' })
export class CheckModelBody {
  @Name({ maxLength: 63, description: 'Name of the provider profile.', example: 'openai' }) provider: string;
  @Name({ maxLength: 200, description: 'Name of the model.', example: 'gpt-6.1-terra' }) name: string;
}

@ApiSchema({ description: 'Why the model failed.' })
export class ModelCheckError {
  @Text({ description: 'Code of the error.', example: 'timeout' }) code: string;
  @Text({ description: 'Explanation for people.', example: 'openai did not respond in time.' }) message: string;
}

@ApiSchema({ name: 'ModelCheck', description: 'The result of a check.' })
export class ModelCheckResource {
  @Text({ description: 'Name of the provider profile.', example: 'openai' }) provider: string;
  @Text({ description: 'Name of the model.', example: 'gpt-6.1-terra' }) name: string;
  @Flag({ description: 'Whether the model answered.', example: true }) ok: boolean;
  @Whole({ description: 'Duration of the first request in milliseconds.', example: 840 }) latency_ms: number;
  @Flag({ description: 'Whether it called a tool.', example: true }) tools: boolean;
  @Flag({ nullable: true, description: 'Whether it answered in a given form; null if not asked.', example: null })
  structured_output: boolean | null;
  @Nested(TurnUsage, { description: 'Tokens of the check.' }) usage: TurnUsage;
  @Nested(RunCost, { nullable: true, description: 'Cost; null without a price.' }) cost: RunCost | null;
  @Nested(ModelCheckError, { nullable: true, description: 'Null if `ok`.', example: null })
  error: ModelCheckError | null;
}

export function presentModelCheck({
  model,
  latencyMs,
  tools,
  structuredOutput,
  cost,
  error,
}: ModelCheck): ModelCheckResource {
  const { micros, currency, partial } = cost;
  return {
    provider: model.provider,
    name: model.name,
    ok: error === null,
    latency_ms: latencyMs,
    tools,
    structured_output: structuredOutput,
    usage: usageDetail(cost),
    cost: currency === null ? null : { amount: formatMicros(BigInt(micros)), currency, ...(partial && { partial }) },
    error,
  };
}
