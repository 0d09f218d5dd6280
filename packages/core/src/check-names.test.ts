import { expect, test } from 'vitest';
import { checkNames } from './check-names.ts';

const allowed = { port: true, label: true } as const;

test('names that are allowed pass, given or not', () => {
  for (const options of [{}, { port: 1 }, { port: 1, label: 'x' }, { label: undefined }]) checkNames('options', options, allowed);
});

test.each([[{ prot: 1 }], [{ toString: 1 }], [{ port: 1, x: undefined }]])('%o is refused with what is allowed', (options) => {
  expect(() => checkNames('options', options, allowed)).toThrow(/options must hold only port, label, and not '\w+'/);
});

test.each([null, undefined, 5, 'text'])('%o holds no options', (options) => {
  expect(() => checkNames('options', options, allowed)).toThrow(/options must be an object/);
});
