import type { AgentAutomation } from '../../../../packages/sdk/src/index.js';
import type { Output } from '../output/output.js';

/** A mistake in a definition, or a warning about it. */
export type Finding = Awaited<ReturnType<AgentAutomation['definitions']['validate']>>['errors'][number];

/** Prints one line for each finding, in the form `<file>:<line>:<column>: <kind>: <detail>` that editors recognise. */
export function reportFindings(
  output: Output,
  file: string,
  { errors = [], warnings }: { errors?: readonly Finding[]; warnings: readonly Finding[] },
): void {
  const findings = [
    ...errors.map((each) => ['error', each] as const),
    ...warnings.map((each) => ['warning', each] as const),
  ];
  for (const [kind, { line, column, pointer, detail, suggestion }] of findings) {
    const place = line === undefined ? pointer : `${line}:${column ?? 1}`;
    const near = suggestion === undefined ? '' : ` ${suggestion}`;
    output.words(`${file}:${place}: ${kind}: ${detail}${near}`);
  }
}
