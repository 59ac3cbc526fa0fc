import { workspaces } from './workspaces.js';
import { perform } from './operator-command.js';

process.exitCode = await perform(workspaces, process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  error: (text) => process.stderr.write(text),
});
