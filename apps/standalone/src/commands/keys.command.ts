import { keys } from './keys.js';
import { perform } from './operator-command.js';
import { rotateEncryption } from './rotate-encryption.js';

const args = process.argv.slice(2);
const terminal = {
  out: (text: string) => process.stdout.write(text),
  error: (text: string) => process.stderr.write(text),
};
process.exitCode =
  args[0] === 'rotate-encryption'
    ? await perform(rotateEncryption, args, terminal)
    : await perform(keys, args, terminal);
