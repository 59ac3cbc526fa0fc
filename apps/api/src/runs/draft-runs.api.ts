import { ApiSchema } from '@nestjs/swagger';
import type { JsonObject } from '@app/kernel';
import { AnyObject, Field } from '../http/fields.js';
import { IsObjectOrText } from '../http/request-validation.js';
import { LIMIT_WORDS } from '../http/route-inputs.js';

@ApiSchema({ description: 'A definition, and the input of its run.' })
export class StartDraftRunBody {
  @IsObjectOrText()
  @Field({
    description: `Agent definition in the format \`agent/v1\`, as an object or as YAML text. At most ${LIMIT_WORDS.definition}.`,
    oneOf: [{ $ref: '#/components/schemas/AgentDefinition' }, { type: 'string' }],
    example: { name: 'greeter', steps: [{ id: 'result', output: { greeting: 'Hello' } }] },
  })
  definition: JsonObject | string;
  @AnyObject({
    optional: true,
    description: `Input, validated against the \`input\` schema of the definition. At most ${LIMIT_WORDS.input} as JSON.`,
    example: { name: 'Ada' },
  })
  input: JsonObject = {};
}
