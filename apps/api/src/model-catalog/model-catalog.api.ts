import type { CatalogEntry } from '@app/agents';
import { formatMicros } from '@app/kernel';
import { Flag, Nested, Text, Whole } from '../http/fields.js';

export class ModelPrices {
  @Text({ example: '1.00' }) input_per_million: string;
  @Text({ example: '0.05' }) cache_read_per_million: string;
  @Text({ example: '1.25' }) cache_write_per_million: string;
  @Text({ example: '5.00' }) output_per_million: string;
  @Text({ example: 'USD' }) currency: string;
}

export class CatalogModel {
  @Text({ example: 'openai' }) provider: string;
  @Text({ example: 'gpt-6.1-terra' }) name: string;
  @Text({ list: true, example: ['text', 'pdf'] }) input: string[];
  @Flag() structured_output: boolean;
  @Text({ list: true, nullable: true, example: ['low'] }) effort: string[] | null;
  @Nested(ModelPrices, { nullable: true }) prices: ModelPrices | null;
  @Text({ nullable: true, example: null }) ends_at: string | null;
  @Whole() used_by: number;
}

export class ModelCatalog {
  @Nested(CatalogModel, { list: true }) data: CatalogModel[];
}

export function presentCatalogModel({ provider, name, facts, price, usedBy }: CatalogEntry): CatalogModel {
  return {
    provider,
    name,
    input: [...facts.input],
    structured_output: facts.structuredOutput,
    effort: facts.effort && [...facts.effort],
    prices: price && {
      input_per_million: formatMicros(price.inputMicros),
      cache_read_per_million: formatMicros(price.cacheReadMicros),
      cache_write_per_million: formatMicros(price.cacheWriteMicros),
      output_per_million: formatMicros(price.outputMicros),
      currency: price.currency,
    },
    ends_at: facts.endsAt,
    used_by: usedBy,
  };
}
