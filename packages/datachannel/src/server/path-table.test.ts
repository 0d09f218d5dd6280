import { expect, test } from 'vitest';
import { PathTable } from './path-table.ts';

const remote = (address: string, port = 5000): { family: 4; address: string; port: number } => ({ family: 4, address, port });

test('the same socket and address are the same path, others are others', () => {
  const table = new PathTable<string>();
  const entry = table.intern(0, remote('192.0.2.1'));
  expect(table.intern(0, remote('192.0.2.1'))).toBe(entry);
  expect(table.find(0, 5000, '192.0.2.1')).toBe(entry);
  const others = [
    table.intern(1, remote('192.0.2.1')),
    table.intern(0, remote('192.0.2.2')),
    table.intern(0, remote('192.0.2.1', 5001)),
  ];
  expect(new Set([entry, ...others]).size).toBe(4);
  expect(table.size).toBe(4);
});

test('a path is forgotten once it serves nobody', () => {
  const table = new PathTable<string>();
  const entry = table.intern(0, remote('192.0.2.1'));
  entry.users.push('peer');
  table.prune(entry);
  expect(table.size).toBe(1);
  entry.users.length = 0;
  entry.owner = 'peer';
  table.prune(entry);
  expect(table.size).toBe(1);
  entry.owner = undefined;
  table.prune(entry);
  table.prune(entry);
  expect(table.size).toBe(0);
  expect(table.find(0, 5000, '192.0.2.1')).toBeUndefined();
});
