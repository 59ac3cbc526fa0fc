import { Inject, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { parseDefinition } from '@app/definition';
import { type DefinitionLimitsConfig, definitionLimitsConfig } from '@app/agents';
import { DefinitionChecksService } from './definition-checks.service.js';
import { DefinitionsController } from './definitions.controller.js';

const SMALL_DEFINITION = `name: warm-up
input: { type: object, properties: { name: { type: string } } }
steps: [{ id: result, output: { greeting: "Hello \${{ input.name }}" } }]`;

@Module({
  controllers: [DefinitionsController],
  providers: [DefinitionChecksService],
  exports: [DefinitionChecksService],
})
export class DefinitionsApiModule implements OnApplicationBootstrap {
  constructor(@Inject(definitionLimitsConfig.KEY) private readonly config: DefinitionLimitsConfig) {}

  /**
   * Parses a small definition before the API listens. This compiles the JSON Schema of definitions, which would
   * otherwise make the first request slow.
   */
  onApplicationBootstrap(): void {
    parseDefinition(SMALL_DEFINITION, 'yaml', this.config.definitionLimits);
  }
}
