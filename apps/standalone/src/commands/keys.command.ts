import { keys } from './keys.js';
import { perform } from './operator-command.js';
import { rotateEncryption } from './rotate-encryption.js';
import { signInLink } from './sign-in-link.js';

const args = process.argv.slice(2);
const terminal = {
  out: (text: string) => process.stdout.write(text),
  error: (text: string) => process.stderr.write(text),
};
const [name] = args;
if (name === 'rotate-encryption') process.exitCode = await perform(rotateEncryption, args, terminal);
else if (name === 'sign-in-link') process.exitCode = await perform(signInLink, args, terminal);
else process.exitCode = await perform(keys, args, terminal);
