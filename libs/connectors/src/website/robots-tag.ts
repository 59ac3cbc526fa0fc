import { ROBOT_NAME } from './robots-rules.js';

/** Rules with a value, which look like the name of a robot. */
const WITH_VALUE = /^(unavailable_after|max-[a-z-]+)$/;

/** What an answer asks of robots in its `X-Robots-Tag`, as a page does in its meta elements. What is for another robot is left out. */
export function robotsTag(header = ''): string[] {
  let isForUs = true;
  return header
    .toLowerCase()
    .split(',')
    .flatMap((part) => {
      const colon = part.indexOf(':');
      const name = part.slice(0, Math.max(colon, 0)).trim();
      if (WITH_VALUE.test(name)) return [];
      if (colon >= 0) isForUs = name === ROBOT_NAME;
      const rule = part.slice(colon + 1).trim();
      return isForUs && rule !== '' ? [rule] : [];
    });
}
