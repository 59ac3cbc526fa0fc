/**
 * It returns functions that use the original intrinsics, so the code cannot change the parsing of its argument or the
 * serialization of its result.
 */
export const REALM_SETUP = `(() => {
  'use strict';
  const { parse, stringify } = JSON;
  const { construct } = Reflect;
  const RealDate = Date;
  const define = (target, name, value) =>
    Object.defineProperty(target, name, { value, writable: true, enumerable: false, configurable: true });
  const refuse = (what, remedy) => {
    throw new TypeError(what + ' is not available, because the result must not depend on ' + remedy);
  };
  const clock = 'the clock. Pass the time in \`with\`.';

  function Date_(...parts) {
    if (!new.target) refuse('Date()', clock);
    if (parts.length === 0) refuse('new Date()', clock);
    return construct(RealDate, parts, new.target);
  }
  define(Date_, 'name', 'Date');
  define(Date_, 'length', 7);
  define(Date_, 'parse', RealDate.parse);
  define(Date_, 'UTC', RealDate.UTC);
  define(Date_, 'now', { now() { refuse('Date.now()', clock); } }.now);
  Object.defineProperty(Date_, 'prototype', { value: RealDate.prototype, writable: false });
  define(RealDate.prototype, 'constructor', Date_);
  define(globalThis, 'Date', Date_);
  define(Math, 'random', { random() { refuse('Math.random()', 'chance. Pass the value in \`with\`.'); } }.random);
  delete globalThis.InternalError;

  const textOf = (value) => {
    try { return String(value); } catch { return 'a value without text'; }
  };
  return {
    run: async (execute, input) => {
      const value = await execute(parse(input));
      if (value === undefined) return 'null';
      if (typeof value === 'function' || typeof value === 'symbol')
        throw new TypeError('the result is a ' + typeof value + ', which JSON cannot represent');
      return stringify(value) ?? 'null';
    },
    describe: (thrown) => {
      if (typeof thrown !== 'object' || thrown === null) return stringify([textOf(thrown), '']);
      const read = (name) => {
        try { return textOf(thrown[name] ?? ''); } catch { return ''; }
      };
      const [name, message] = [read('name'), read('message')];
      const text = name && message ? name + ': ' + message : name || message || textOf(thrown);
      return stringify([text.slice(0, 500), read('stack').slice(0, 2000)]);
    },
  };
})()`;
