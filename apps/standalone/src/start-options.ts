export interface StartOptions {
  sample: boolean;
}

export const USAGE = `npm start [-- --no-sample]

  --no-sample   a new installation stays empty: no sample agent is loaded and run

Settings are environment variables, explained in docs/configuration.md; a file named .env is read if it exists.`;

export function readStartOptions(args: readonly string[]): StartOptions | 'help' | { mistake: string } {
  if (args.includes('--help') || args.includes('-h')) return 'help';
  const unknown = args.find((arg) => arg !== '--no-sample');
  if (unknown !== undefined) return { mistake: `Unknown argument ${unknown}.\n\n${USAGE}` };
  return { sample: !args.includes('--no-sample') };
}
