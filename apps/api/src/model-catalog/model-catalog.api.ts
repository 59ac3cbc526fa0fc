import type { CatalogEntry } from '@app/agents';
import { formatMicros } from '@app/kernel';
import { ApiSchema } from '@nestjs/swagger';
import { Flag, Nested, Text, Whole } from '../http/fields.js';

const price = (of: string, example: string): { description: string; example: string } => ({
  description: `Price of ${of}.`,
  example,
});

@ApiSchema({ description: 'Prices of a model for each million tokens.' })
export class ModelPrices {
  @Text(price('input tokens', '1.00')) input_per_million: string;
  @Text(price('input tokens that the provider read from its cache', '0.05')) cache_read_per_million: string;
  @Text(price('input tokens that the provider wrote to its cache', '1.25')) cache_write_per_million: string;
  @Text(price('output tokens', '5.00')) output_per_million: string;
  @Text({ description: 'ISO 4217 code.', example: 'USD' }) currency: string;
}

@ApiSchema({ description: 'A model that the installation knows or agents use.' })
export class CatalogModel {
  @Text({ description: 'Name of the provider profile.', example: 'openai' }) provider: string;
  @Text({ description: 'Name of the model.', example: 'gpt-6.1-terra' }) name: string;
  @Text({ list: true, description: 'What the model reads: `text`, `image`, `pdf`.', example: ['text', 'pdf'] })
  input: string[];
  @Flag({ description: 'Whether the model returns JSON of a given schema.' }) structured_output: boolean;
  @Text({ list: true, nullable: true, description: 'Effort levels; null if unknown.', example: ['low'] }) effort:
    string[] | null;
  @Nested(ModelPrices, { nullable: true, description: 'Prices; null if unknown.' }) prices: ModelPrices | null;
  @Text({ nullable: true, description: 'Date on which the provider switches the model off.', example: null }) ends_at:
    string | null;
  @Whole({ description: 'Number of agents whose production version uses the model.', example: 2 }) used_by: number;
}

@ApiSchema({ name: 'CatalogModelPage', description: 'The models, by provider and name.' })
export class ModelCatalog {
  @Nested(CatalogModel, { list: true, description: 'The models.' }) data: CatalogModel[];
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
