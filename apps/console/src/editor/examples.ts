import greeter from './templates/greeter-plan.yaml?raw';
import report from './templates/morning-report.yaml?raw';
import refunds from './templates/refund-plan.yaml?raw';
import assistant from './templates/support-assistant.yaml?raw';

/** A complete definition to start from. */
export interface Example {
  file: string;
  title: string;
  /** What the agent does, in a sentence. Default: the description in the definition. */
  description?: string;
  text: string;
}

export const EXAMPLES: readonly Example[] = [
  {
    file: 'greeter-plan.yaml',
    title: 'First plan',
    description: 'Agent without a model or tools, with one evaluation case.',
    text: greeter,
  },
  {
    file: 'refund-plan.yaml',
    title: 'Plan with approval',
    description: 'Calls an HTTP API. Large amounts need the approval of a person.',
    text: refunds,
  },
  {
    file: 'support-assistant.yaml',
    title: 'Model with tools',
    description: 'A model decides which tools it calls. Policies limit the calls.',
    text: assistant,
  },
  {
    file: 'morning-report.yaml',
    title: 'Scheduled report',
    description: 'Reads from two systems each morning and sends a mail.',
    text: report,
  },
];

/**
 * Loads the definitions of docs/cookbook. If a page has several definitions, their titles end with the name of the
 * agent, which is also the name of the file.
 */
export async function readCookbook(): Promise<readonly Example[]> {
  const { cookbook } = await import('virtual:cookbook');
  return cookbook.flatMap(({ title, files }) =>
    files.map(({ file, text }) => ({
      file,
      title: files.length === 1 ? title : `${title} · ${file.replace('.yaml', '')}`,
      text,
    })),
  );
}
