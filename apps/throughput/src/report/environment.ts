import { arch, cpus, platform, release, totalmem } from 'node:os';

/** Where the figures come from. */
export interface Environment {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGib: number;
  readonly platform: string;
  readonly node: string;
  readonly openssl: string;
}

export function readEnvironment(): Environment {
  const cores = cpus();
  return {
    cpu: cores[0]?.model.trim() || arch(),
    cores: cores.length,
    memoryGib: Math.round(totalmem() / 2 ** 30),
    platform: `${platform()} ${release()} ${arch()}`,
    node: process.versions.node,
    openssl: process.versions.openssl,
  };
}
