import { keys } from './keys.js';
import { perform } from './operator-command.js';

process.exitCode = await perform(keys, process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  error: (text) => process.stderr.write(text),
});
