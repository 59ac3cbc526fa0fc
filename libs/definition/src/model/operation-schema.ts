import { findUnsafeJson, jsonPointer, type JsonObject } from '@app/kernel';
import type { DescriptionProblem } from './tool-description.js';
import { inspectSchema, PatternWork } from '@app/json-schema';

const MAX_CHARACTERS = 1024 * 1024;
const MAX_REPORTED = 5;

/** Checks the request schemas of the operations of one server, before they are stored and used. */
export class OperationSchemas {
  private readonly patterns = new PatternWork();

  constructor(private readonly tool: string) {}

  /**
   * Returns errors for a schema that cannot be used, and warnings for parts of the schema that are not checked.
   * @param index position of the operation in `include`
   */
  problems(operation: string, index: number, schema: JsonObject): DescriptionProblem[] {
    const problem = (
      severity: DescriptionProblem['severity'],
      detail: string,
      suggestion: string,
    ): DescriptionProblem => ({
      tool: this.tool,
      key: ['include', index],
      severity,
      detail,
      suggestion,
    });
    const leaveOut = `Remove \`${operation}\` from \`include\`, or ask the provider of the server for a simpler schema.`;
    const refuse = (reason: string): DescriptionProblem =>
      problem(
        'error',
        `\`${operation}\` cannot be called, because its request schema cannot be used: ${reason}`,
        leaveOut,
      );
    const unsafe = findUnsafeJson(schema);
    if (unsafe) return [refuse(`${unsafe.pointer}: ${unsafe.detail}`)];
    if (JSON.stringify(schema).length > MAX_CHARACTERS)
      return [refuse(`it has more than ${MAX_CHARACTERS} characters.`)];
    const { refusals, unchecked } = inspectSchema(schema, this.patterns);
    if (refusals.length > 0) {
      return refusals.map(({ path, detail }) => refuse(`${path.length > 0 ? `${jsonPointer(path)}: ` : ''}${detail}`));
    }
    return unchecked
      .slice(0, MAX_REPORTED)
      .map(({ path, detail }) =>
        problem(
          'warning',
          `Requests of \`${this.tool}.${operation}\` are not checked against \`${jsonPointer(path)}\` of the request schema. ${detail}`,
          'No change is needed. Calls are sent without this check, and the server checks them itself.',
        ),
      );
  }
}
