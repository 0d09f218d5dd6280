import { cpus, release, type } from 'node:os';

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly system: string;
  readonly node: string;
}

/** What figures are to be read with. */
export function describeMachine(): Machine {
  const cores = cpus();
  return {
    cpu: cores[0]?.model.trim() ?? 'unknown',
    cores: cores.length,
    system: `${type()} ${release()}`,
    node: process.versions.node,
  };
}

export function formatMachine({ cpu, cores, system, node }: Machine): string {
  return `${cpu}, ${cores} cores, ${system}, Node ${node}`;
}
