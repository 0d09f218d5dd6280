import { expect, test } from 'vitest';
import { Listeners } from './listener.ts';

interface Events {
  data: [number];
  end: [];
}

test('listeners are called in order, with the arguments, until they are removed', () => {
  const listeners = new Listeners<Events>(['data', 'end']);
  const seen: string[] = [];
  const first = (n: number): void => void seen.push(`first ${n}`);
  listeners.add('data', first);
  listeners.add('data', (n) => seen.push(`second ${n}`));
  expect(listeners.emit('data', 1)).toBe(true);
  listeners.remove('data', first);
  listeners.emit('data', 2);
  expect(seen).toEqual(['first 1', 'second 1', 'second 2']);
  expect(listeners.emit('end')).toBe(false);
});

test('once means once, even where the listener emits again', () => {
  const listeners = new Listeners<Events>(['data', 'end']);
  let calls = 0;
  listeners.add(
    'end',
    () => {
      calls++;
      listeners.emit('end');
    },
    true,
  );
  listeners.emit('end');
  expect(calls).toBe(1);
  expect(listeners.emit('end')).toBe(false);
});

test('once leaves another registration of the same function alone', () => {
  const listeners = new Listeners<Events>(['data', 'end']);
  let calls = 0;
  const count = (): void => void calls++;
  listeners.add('end', count);
  listeners.add('end', count, true);
  for (let i = 0; i < 3; i++) listeners.emit('end');
  expect(calls).toBe(4);
  listeners.remove('end', count);
  expect(listeners.emit('end')).toBe(false);
});

test('a listener added during an event hears the next one', () => {
  const listeners = new Listeners<Events>(['data', 'end']);
  const seen: string[] = [];
  listeners.add('end', () => {
    seen.push('outer');
    listeners.add('end', () => seen.push('inner'));
  });
  listeners.emit('end');
  expect(seen).toEqual(['outer']);
});

test('what is no function is refused at once', () => {
  const listeners = new Listeners<Events>(['data', 'end']);
  expect(() => listeners.add('end', undefined as never)).toThrow(TypeError);
});

test('an event that never comes is refused at once, with those that do', () => {
  const listeners = new Listeners<Events>(['data', 'end']);
  expect(() => listeners.add('mesage' as never, () => {})).toThrow("event must be one of data, end, and not 'mesage'");
});
