import { backup } from './backup.js';
import { performOnInstallation } from './operator-command.js';

process.exitCode = await performOnInstallation(backup, process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  error: (text) => process.stderr.write(text),
});
