import { ApiSchema } from '@nestjs/swagger';
import { CONDITION_KEYS } from '@app/runs';
import { AnyObject, Flag, Id, Nested, OneOf, Text, Whole } from '../http/fields.js';

@ApiSchema({ description: 'A condition of a step. `holds` and `values` belong to its last evaluation.' })
export class PlanCondition {
  @OneOf(CONDITION_KEYS, { description: 'Key in the definition.' }) key: (typeof CONDITION_KEYS)[number];
  @Whole({ optional: true, minimum: 0, description: 'Index of the branch of a `switch`.' }) branch?: number;
  @Text({ description: 'Expression.', example: 'input.n > 1.0' }) expression: string;
  @Whole({ minimum: 0, description: 'How often it was true.' }) true_count: number;
  @Whole({ minimum: 0, description: 'How often it was false.' }) false_count: number;
  @Flag({ description: 'Result.' }) holds: boolean;
  @AnyObject({ description: 'Values that it read, by name.', example: { 'input.n': 2 } }) values: object;
}

@ApiSchema({ description: 'What the run did with a step of the definition.' })
export class RunPlanStep {
  @Text({ description: 'Id of the step.', example: 'route' }) step: string;
  @Whole({ minimum: 0, description: 'How often it succeeded.' }) done: number;
  @Whole({ minimum: 0, description: 'How often it failed.' }) failed: number;
  @Whole({ minimum: 0, description: 'How often its `if` was false.' }) skipped: number;
  @Nested(PlanCondition, { list: true, description: 'Conditions.' }) conditions: PlanCondition[];
}

@ApiSchema({ name: 'RunPlan', description: 'The decisions of the plan of a run.' })
export class RunPlanResource {
  @Id('run') run: string;
  @Nested(RunPlanStep, { list: true, description: 'Steps that the plan has reached.' }) steps: RunPlanStep[];
  @Flag({ description: '`false` if the trace is too large to compute all.', example: true }) complete: boolean;
  @Flag({ description: '`true` if `values` are empty, because the definition redacts values.' }) redacted: boolean;
}
