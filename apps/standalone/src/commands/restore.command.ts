import { restore } from './restore.js';
import { performOnInstallation } from './operator-command.js';

process.exitCode = await performOnInstallation(restore, process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  error: (text) => process.stderr.write(text),
});
